// the page: time goes on, one picture for every frame in which something changed, and news of a live run
"use strict";

const REDRAW_MS = 400;
const SLOW_S = 0.125;

class Replay extends Desk {
  constructor(THREE, payload) {
    super();
    this.payload = payload;
    this.store = new Store(payload);
    if (payload.block) this.store.add(payload.block);
    this.sight = new Sight(THREE, payload, this.store, byId("sight"));
    if (this.store.rows) this.sight.place(this.store.start);
    this.view = new View(THREE, this.sight, payload);
    this.view.changed = () => this.markCamera();
    this.curves = new Curves(payload, this.store, byId("curves"), (time) => this.seek(time));
    this.time = this.store.start;
    this.playing = false;
    this.following = payload.live;
    this.speed = this.firstSpeed();
    document.body.classList.toggle("waiting", !this.store.rows);
    this.fillSpeeds();
    this.fillCameras();
    this.fillEvents();
    this.listen();
    this.curves.draw();
    this.refresh();
    requestAnimationFrame((now) => this.tick(now));
  }

  // long runs start faster, so that they take about a minute
  firstSpeed() {
    const span = this.store.end - this.store.start;
    return span > 120 ? SPEEDS.find((speed) => span / speed <= 60) || SPEEDS[SPEEDS.length - 1] : 1;
  }

  // ---------------------------------------------------------------- time

  seek(time) {
    this.following = false;
    this.time = Math.min(Math.max(time, this.store.start), this.store.end);
    this.refresh();
  }

  play() {
    if (this.time >= this.store.end && !this.payload.live) this.time = this.store.start;
    this.playing = true;
    this.following = false;
    this.markPlaying();
  }

  pause() {
    this.playing = false;
    this.following = false;
    this.markPlaying();
  }

  tick(now) {
    const passed = Math.min((now - (this.last || now)) / 1000, 0.25);
    this.last = now;
    this.pace(passed);
    if (this.playing && !this.sliding) {
      this.time = Math.min(this.time + passed * this.speed, this.store.end);
      this.stale = true;
      if (this.time >= this.store.end && !this.payload.live) this.pause();
    }
    if (this.following && this.store.rows && this.time !== this.store.end) {
      // blocks come in jumps; the picture glides after them
      const left = this.store.end - this.time;
      this.time = left < 1e-3 ? this.store.end : this.time + left * Math.min(1, 5 * passed);
      this.stale = true;
    }
    if (this.grown && now - (this.redrawn || 0) > REDRAW_MS) this.redraw(now);
    const box = byId("sight");
    if (this.stale || box.clientWidth !== this.sight.width || box.clientHeight !== this.sight.height) this.show();
    requestAnimationFrame((later) => this.tick(later));
  }

  // pictures that come slower than eight a second get coarser; at rest they are fine again
  pace(passed) {
    const moving = this.playing || (this.following && this.time !== this.store.end);
    this.slowness = moving ? 0.7 * (this.slowness || 0) + 0.3 * passed : 0;
    const grain = !moving ? 1 : this.slowness > SLOW_S ? Math.max(0.8 * this.sight.grain, 0.4) : this.sight.grain;
    if (grain !== this.sight.grain) {
      this.sight.setGrain(grain);
      this.stale = true;
    }
  }

  refresh() {
    this.stale = true;
  }

  // a live run has gone on: its curves and events again
  redraw(now) {
    Object.assign(this, { grown: false, redrawn: now, marked: undefined });
    this.fillEvents();
    this.curves.draw();
    this.refresh();
  }

  show() {
    this.stale = false;
    if (!this.store.rows) return;
    this.sight.place(this.time);
    this.sight.draw(this.view);
    this.curves.cursor(this.time);
    const span = this.store.end - this.store.start || 1;
    if (!this.sliding) byId("slider").value = (this.time - this.store.start) / span;
    byId("clock").textContent = `${this.time.toFixed(span < 20 ? 3 : 2)} s`;
    byId("phase").textContent = this.payload.phases[this.store.held("phase", 0)] || "";
    this.drawScale();
    this.markEvent();
    this.frames = (this.frames || 0) + 1;
  }

  // a bar of a round length at the distance of the target
  drawScale() {
    const pixels = this.view.scale(this.sight.height), bar = byId("scale");
    const length = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((m) => m * pixels >= 55) || 1000;
    bar.style.width = `${(length * pixels).toFixed(1)}px`;
    bar.textContent = length < 1 ? `${Math.round(100 * length)} cm` : `${length} m`;
  }

  // ---------------------------------------------------------------- for scripts and tests

  // position in W of a body as drawn
  position(name) {
    const body = this.payload.bodies.indexOf(name), anchor = this.store.mix("anchor", 0, 3, [0, 0, 0]);
    const at = this.sight.bodies[body].getWorldPosition(this.sight.scratch.v);
    return [at.x + anchor[0], at.y + anchor[1], at.z + anchor[2]];
  }

  // a run that goes on: blocks and events come as they happen
  follow(address) {
    const source = new EventSource(address);
    source.addEventListener("block", (message) => {
      const news = JSON.parse(message.data), fresh = !this.store.rows;
      if (news.events.length !== this.payload.events.length) this.payload.events = news.events;
      this.store.add(news.block);
      if (fresh) {
        document.body.classList.remove("waiting");
        this.time = this.store.start;
        this.sight.place(this.time);
        this.view.presets = this.view.fitted();
        this.view.choose(0);
      }
      this.grown = true;
    });
    source.addEventListener("status", (message) => { byId("outcome").textContent = JSON.parse(message.data).status; });
    source.addEventListener("end", (message) => {
      source.close();
      this.payload.live = false;
      byId("outcome").textContent = JSON.parse(message.data).outcome;
      byId("newest").hidden = true;
      this.grown = true;
      this.refresh();
    });
    source.addEventListener("error", () => { byId("outcome").textContent = "connection lost"; source.close(); });
  }
}

const NO_WEBGL = "This browser shows no picture in 3-D: WebGL 2 is missing or switched off. Switch on hardware acceleration in its "
  + "settings, or open this page in another browser. Without one, docksim replay RESULT --still draws a still, docksim plot RESULT the curves.";

function trouble(text) {
  byId("trouble").hidden = false;
  byId("trouble").textContent = text;
}

if (!document.createElement("canvas").getContext("webgl2")) {
  trouble(NO_WEBGL);
} else {
  try {
    window.docksim = new Replay(THREE, JSON.parse(byId("data").textContent));
    if (window.docksim.payload.live) window.docksim.follow(window.docksim.payload.live);
  } catch (error) {
    trouble(`This page could not start: ${error.message}`);
    throw error;
  }
}
