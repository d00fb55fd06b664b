// diagrams over time: drawn once, with a cursor above them
"use strict";

const INKS = ["#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#56b4e9", "#e69f00", "#777777"];
const DASHES = [[], [7, 3], [8, 2, 2, 2], [2, 2], [12, 3], [4, 2, 1, 2], [3, 2], [10, 2, 2, 2]];
const EDGE = { left: 52, right: 10, top: 6, bottom: 18 };

// round numbers between two values
function ticks(low, high, most) {
  const span = high - low || 1, rough = span / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => span / s <= most) || 10 * power;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k++) found.push(k * step);
  return { found, step };
}

function spoken(value, step) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e4 || step < 1e-3) return value.toExponential(Math.abs(value) >= 1e4 ? 1 : 0).replace("e+", "e");
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

// a value with as many places as a thousandth of the panel's range asks for
function measured(value, span) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e6 || span < 1e-5) return value.toExponential(2);
  return value.toFixed(Math.min(Math.max(Math.ceil(3 - Math.log10(span)), 0), 6)).replace(/^-(0\.?0*)$/, "$1");
}

class Curves {
  constructor(payload, store, box, seek) {
    Object.assign(this, { payload, store, box, seek, window: 0, now: 0 });
    let first = 0;
    this.panels = payload.panels.map((panel) => {
      // columns of the curves, each followed by the two of its band if it has one
      const places = panel.bands.map((band) => { const place = first; first += band ? 3 : 1; return place; });
      return this.build(panel, places);
    });
    new ResizeObserver(() => this.draw()).observe(box);
  }

  build(panel, places) {
    const holder = document.createElement("figure"), head = document.createElement("figcaption");
    const name = document.createElement("b");
    name.textContent = `${panel.title} [${panel.unit}]`;
    head.append(name);
    const values = panel.series.map((label, i) => {
      const entry = document.createElement("span"), value = document.createElement("output");
      entry.className = "entry";
      entry.style.color = INKS[i % INKS.length];
      entry.append(`${label} `, value);
      head.append(entry);
      return value;
    });
    const stage = document.createElement("div"), curve = document.createElement("canvas"), line = document.createElement("i");
    stage.className = "stage";
    line.className = "cursor";
    stage.append(curve, line);
    holder.append(head, stage);
    this.box.append(holder);
    const built = { ...panel, places, values, stage, curve, line, span: 1 };
    const scrub = (event) => this.seek(this.timeAt(built, event.clientX));
    stage.addEventListener("pointerdown", (event) => { stage.setPointerCapture(event.pointerId); scrub(event); });
    stage.addEventListener("pointermove", (event) => { if (event.buttons) scrub(event); });
    return built;
  }

  timeAt(panel, x) {
    const frame = panel.stage.getBoundingClientRect();
    const part = (x - frame.left - EDGE.left) / Math.max(frame.width - EDGE.left - EDGE.right, 1);
    const [from, to] = this.shown();
    return from + Math.min(Math.max(part, 0), 1) * (to - from);
  }

  x(panel, time) {
    const width = panel.stage.clientWidth - EDGE.left - EDGE.right, [from, to] = this.shown();
    return EDGE.left + (width * (time - from)) / (to - from || 1);
  }

  // the time shown: all of it, or a window about now
  shown() {
    const { start, end } = this.store;
    if (!this.window || this.window >= end - start) return [start, end];
    const from = Math.min(Math.max(this.now - 0.5 * this.window, start), end - this.window);
    return [from, from + this.window];
  }

  look(seconds) {
    this.window = seconds;
    this.draw();
  }

  draw() {
    for (const panel of this.panels) this.drawPanel(panel);
  }

  // ranges of all panels, again when rows have come
  measure() {
    this.counted = this.store.rows;
    this.ranged = new Map(this.panels.map((panel) => [panel, this.range(panel)]));
  }

  range(panel) {
    const { values, width } = this.store.columns.curves;
    let low = Infinity, high = -Infinity;
    for (let row = 0; row < this.store.rows; row++) {
      for (let i = 0; i < panel.series.length; i++) {
        const place = row * width + panel.places[i], last = place + (panel.bands[i] ? 2 : 0);
        for (let k = place; k <= last; k++) {
          if (values[k] < low) low = values[k];
          if (values[k] > high) high = values[k];
        }
      }
    }
    if (!(high > low)) {
      const middle = Number.isFinite(low) ? low : 0, half = 0.1 * Math.abs(middle) || 1;
      return [middle - half, middle + half];
    }
    return [low - 0.06 * (high - low), high + 0.06 * (high - low)];
  }

  drawPanel(panel) {
    const ratio = window.devicePixelRatio || 1, width = panel.stage.clientWidth, height = panel.stage.clientHeight;
    if (!width || !this.store.rows) return;
    if (!this.ranged || this.ranged.get(panel) === undefined || this.counted !== this.store.rows) this.measure();
    panel.curve.width = width * ratio;
    panel.curve.height = height * ratio;
    const ink = panel.curve.getContext("2d");
    ink.scale(ratio, ratio);
    ink.font = "10.5px system-ui, sans-serif";
    const [low, high] = this.ranged.get(panel);
    panel.span = high - low;
    const bottom = height - EDGE.bottom;
    const y = (value) => bottom - ((bottom - EDGE.top) * (value - low)) / (high - low);
    this.drawAxes(ink, panel, { low, high, y, width, bottom });
    ink.save();
    ink.beginPath();
    ink.rect(EDGE.left, 0, width - EDGE.left - EDGE.right, bottom + 1);
    ink.clip();
    panel.bands.forEach((band, i) => { if (band) this.drawBand(ink, panel, i, y); });
    panel.series.forEach((_, i) => this.drawCurve(ink, panel, i, y));
    ink.restore();
  }

  drawAxes(ink, panel, { low, high, y, width, bottom }) {
    ink.lineWidth = 1;
    ink.strokeStyle = "#e3e6ea";
    ink.fillStyle = "#4b5563";
    ink.textAlign = "right";
    ink.textBaseline = "middle";
    const up = ticks(low, high, 4);
    for (const value of up.found) {
      ink.beginPath();
      ink.moveTo(EDGE.left, y(value));
      ink.lineTo(width - EDGE.right, y(value));
      ink.stroke();
      ink.fillText(spoken(value, up.step), EDGE.left - 5, y(value));
    }
    ink.textAlign = "center";
    ink.textBaseline = "top";
    const [from, to] = this.shown(), along = ticks(from, to, 6);
    along.found.forEach((value, i) => {
      const last = i === along.found.length - 1;
      ink.fillText(spoken(value, along.step) + (last ? " s" : ""), Math.min(this.x(panel, value), width - 16), bottom + 4);
    });
    ink.strokeStyle = "#9aa3ad";
    ink.setLineDash([2, 3]);
    for (const event of this.payload.events) {
      const x = this.x(panel, event.time);
      if (x < EDGE.left || x > width - EDGE.right) continue;
      ink.beginPath();
      ink.moveTo(x, EDGE.top);
      ink.lineTo(x, bottom);
      ink.stroke();
    }
    ink.setLineDash([]);
    ink.beginPath();
    ink.moveTo(EDGE.left, EDGE.top);
    ink.lineTo(EDGE.left, bottom);
    ink.lineTo(width - EDGE.right, bottom);
    ink.stroke();
  }

  // what was between the instants: from the one before to its own, no narrower than a pixel
  drawBand(ink, panel, i, y) {
    const { values, width } = this.store.columns.curves, times = this.store.columns.time.values;
    const [from, to] = this.shown(), first = this.store.rowBefore(from), last = this.store.rowBefore(to) + 1;
    const left = this.x(panel, 0), slope = this.x(panel, 1) - left;
    ink.fillStyle = INKS[i % INKS.length];
    ink.globalAlpha = 0.3;
    let begin = null, low = 0, high = 0;
    for (let row = first; row <= last && row < this.store.rows; row++) {
      const place = row * width + panel.places[i], bottom = y(values[place + 1]), top = y(values[place + 2]);
      const end = left + slope * times[row];
      // several rows in one pixel are one bar
      if (begin === null) [begin, low, high] = [left + slope * times[Math.max(row - 1, 0)], bottom, top];
      [low, high] = [Math.max(low, bottom), Math.min(high, top)];
      if (end - begin >= 1 || row === last || row === this.store.rows - 1) {
        if (low - high > 0.5) ink.fillRect(begin, high, Math.max(end - begin, 1), low - high);
        begin = null;
      }
    }
    ink.globalAlpha = 1;
  }

  drawCurve(ink, panel, i, y) {
    const { values, width } = this.store.columns.curves, times = this.store.columns.time.values;
    ink.strokeStyle = INKS[i % INKS.length];
    ink.lineWidth = 1.4;
    ink.setLineDash(DASHES[i % DASHES.length]);
    ink.beginPath();
    const [from, to] = this.shown(), first = this.store.rowBefore(from), last = this.store.rowBefore(to) + 1;
    const left = this.x(panel, 0), slope = this.x(panel, 1) - left;
    // at most four points a pixel: where the curve comes in, its ends, where it goes out
    let column = null, low = 0, high = 0, out = 0, x = 0;
    for (let row = first; row <= last && row < this.store.rows; row++) {
      const v = y(values[row * width + panel.places[i]]);
      x = left + slope * times[row];
      if (column === Math.floor(x)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      } else {
        if (column !== null && low !== high) [low, high, out].forEach((value) => ink.lineTo(column + 0.5, value));
        column = Math.floor(x);
        low = high = v;
        if (row > first) ink.lineTo(x, v); else ink.moveTo(x, v);
      }
      out = v;
    }
    if (low !== high) [low, high, out].forEach((value) => ink.lineTo(x, value));
    ink.stroke();
    ink.setLineDash([]);
  }

  // the store stands at this time
  cursor(time) {
    const one = [0];
    this.now = time;
    if (this.window) this.draw();
    for (const panel of this.panels) {
      panel.line.style.transform = `translateX(${this.x(panel, time).toFixed(2)}px)`;
      panel.values.forEach((value, i) => { value.textContent = measured(this.store.mix("curves", panel.places[i], 1, one)[0], panel.span); });
    }
  }
}
