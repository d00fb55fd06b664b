// buttons, lists and keys of the page
"use strict";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 100, 300];
const WINDOWS = [0, 20, 5, 1];
const byId = (id) => document.getElementById(id);

class Desk {
  fillSpeeds() {
    const list = byId("speed");
    for (const speed of SPEEDS) list.add(new Option(`${speed} ×`, speed, false, speed === this.speed));
    list.addEventListener("change", () => { this.speed = Number(list.value); list.blur(); });
    const windows = byId("window");
    for (const seconds of WINDOWS) windows.add(new Option(seconds ? `curves: ${seconds} s` : "curves: all", seconds));
    windows.addEventListener("change", () => { this.curves.look(Number(windows.value)); windows.blur(); this.refresh(); });
  }

  changeSpeed(step) {
    const list = byId("speed");
    list.selectedIndex = Math.min(Math.max(list.selectedIndex + step, 0), SPEEDS.length - 1);
    this.speed = Number(list.value);
  }

  fillCameras() {
    this.view.presets.forEach((preset, i) => {
      const button = document.createElement("button");
      button.textContent = preset.name;
      button.title = `key ${i + 1}`;
      button.addEventListener("click", () => { this.view.choose(i); button.blur(); });
      byId("cameras").append(button);
    });
    this.markCamera();
  }

  markCamera() {
    [...byId("cameras").children].forEach((button, i) => button.classList.toggle("on", i === this.view.number));
    this.refresh();
  }

  fillEvents() {
    const list = byId("events"), marks = byId("marks");
    list.replaceChildren();
    marks.replaceChildren();
    const span = this.store.end - this.store.start || 1;
    this.payload.events.forEach((event) => {
      const row = document.createElement("li"), button = document.createElement("button");
      const time = document.createElement("time"), name = document.createElement("b"), text = document.createElement("span");
      time.textContent = `${event.time.toFixed(2)} s`;
      name.textContent = event.name;
      text.textContent = event.text;
      button.append(time, name, text);
      button.addEventListener("click", () => { this.pause(); this.seek(event.time); button.blur(); });
      row.append(button);
      list.append(row);
      const mark = document.createElement("i");
      mark.style.left = `${(100 * (event.time - this.store.start)) / span}%`;
      mark.title = `${event.name}, ${event.time.toFixed(2)} s`;
      marks.append(mark);
    });
    byId("none").hidden = this.payload.events.length > 0;
  }

  markEvent() {
    let now = -1;
    this.payload.events.forEach((event, i) => { if (event.time <= this.time + 1e-9) now = i; });
    if (now === this.marked) return;
    this.marked = now;
    // of a live run, the list may not have the newest yet
    const rows = [...byId("events").children];
    rows.forEach((row, i) => row.classList.toggle("on", i === now));
    if (rows[now]) rows[now].scrollIntoView({ block: "nearest" });
  }

  nextEvent(way) {
    const times = this.payload.events.map((event) => event.time);
    const found = way > 0 ? times.find((t) => t > this.time + 1e-6) : times.filter((t) => t < this.time - 1e-6).pop();
    this.pause();
    this.seek(found === undefined ? (way > 0 ? this.store.end : this.store.start) : found);
  }

  markPlaying() {
    byId("play").textContent = this.playing ? "❚❚" : "▶";
    byId("play").setAttribute("aria-label", this.playing ? "pause" : "play");
    byId("newest").classList.toggle("on", this.following);
  }

  // ---------------------------------------------------------------- hands

  listen() {
    const slider = byId("slider");
    byId("play").addEventListener("click", () => { this.toggle(); byId("play").blur(); });
    slider.addEventListener("input", () => this.seek(this.store.start + slider.value * (this.store.end - this.store.start)));
    slider.addEventListener("pointerdown", () => { this.sliding = true; });
    slider.addEventListener("pointerup", () => { this.sliding = false; slider.blur(); });
    slider.addEventListener("pointercancel", () => { this.sliding = false; });
    byId("newest").addEventListener("click", () => { this.playing = false; this.following = true; this.markPlaying(); });
    for (const what of ["hulls", "forces", "labels"]) {
      byId(what).addEventListener("change", (event) => { this.sight.show[what] = event.target.checked; event.target.blur(); this.refresh(); });
    }
    byId("help").addEventListener("click", () => byId("keys").showModal());
    window.addEventListener("resize", () => { this.curves.draw(); this.refresh(); });
    window.addEventListener("keydown", (event) => this.key(event));
  }

  toggle() {
    if (this.playing) this.pause(); else this.play();
  }

  flip(what) {
    byId(what).checked = !byId(what).checked;
    byId(what).dispatchEvent(new Event("change"));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const step = event.shiftKey ? 1 : 0.1, keys = {
      " ": () => this.toggle(), k: () => this.toggle(),
      ArrowLeft: () => { this.pause(); this.seek(this.time - step); }, ArrowRight: () => { this.pause(); this.seek(this.time + step); },
      ",": () => this.stepRow(-1), ".": () => this.stepRow(1),
      Home: () => this.seek(this.store.start), End: () => this.seek(this.store.end),
      "[": () => this.nextEvent(-1), "]": () => this.nextEvent(1), PageUp: () => this.nextEvent(-1), PageDown: () => this.nextEvent(1),
      "+": () => this.changeSpeed(1), "=": () => this.changeSpeed(1), "-": () => this.changeSpeed(-1),
      h: () => this.flip("hulls"), f: () => this.flip("forces"), l: () => this.flip("labels"), "?": () => byId("keys").showModal(),
      z: () => this.nextWindow(),
    };
    const number = Number(event.key) - 1;
    if (keys[event.key]) keys[event.key]();
    else if (this.view.presets[number]) this.view.choose(number);
    else return;
    event.preventDefault();
  }

  nextWindow() {
    const list = byId("window");
    list.selectedIndex = (list.selectedIndex + 1) % WINDOWS.length;
    list.dispatchEvent(new Event("change"));
  }

  stepRow(way) {
    this.pause();
    const { low } = this.store.at(this.time), times = this.store.columns.time.values;
    this.seek(times[Math.min(Math.max(low + way, 0), this.store.rows - 1)]);
  }
}
