// what moves, by instant: columns that grow as blocks arrive, and the pose of anything at any time between instants
"use strict";

function decoded(text, Type) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Type(bytes.buffer);
}

class Column {
  constructor(Type, width) {
    this.width = width;
    this.values = new Type(0);
    this.used = 0;
    this.Type = Type;
  }

  add(text) {
    const more = decoded(text, this.Type);
    const needed = this.used + more.length;
    if (this.values.length === 0) {
      this.values = more;
    } else {
      if (needed > this.values.length) {
        const grown = new this.Type(Math.max(needed, 2 * this.values.length));
        grown.set(this.values.subarray(0, this.used));
        this.values = grown;
      }
      this.values.set(more, this.used);
    }
    this.used = needed;
  }
}

class Store {
  constructor(payload) {
    const bodies = payload.bodies.length;
    // a curve with a band has two more columns
    const wide = (panel) => panel.series.length + 2 * panel.bands.filter((band) => band).length;
    const curves = payload.panels.reduce((sum, panel) => sum + wide(panel), 0);
    this.bodies = bodies;
    this.pairs = payload.pairs.length;
    this.rows = 0;
    this.columns = {
      time: new Column(Float64Array, 1),
      anchor: new Column(Float64Array, 3),
      position: new Column(Float32Array, 3 * bodies),
      attitude: new Column(Float32Array, 4 * bodies),
      points: new Column(Float32Array, 3 * payload.points),
      latched: new Column(Uint16Array, this.pairs),
      lost: new Column(Uint16Array, this.pairs),
      pull: new Column(Float32Array, payload.latches.length),
      phase: new Column(Uint16Array, 1),
      curves: new Column(Float32Array, curves),
      touch_row: new Column(Uint32Array, 1),
      touch_pair: new Column(Uint32Array, 1),
      touch: new Column(Float32Array, 6),
    };
    this.instant = { low: 0, high: 0, part: 0 };
  }

  add(block) {
    const firstTouch = this.columns.touch_row.used;
    for (const name of Object.keys(this.columns)) this.columns[name].add(block[name]);
    // touches count instants from the start of their block
    const rows = this.columns.touch_row;
    for (let i = firstTouch; i < rows.used; i++) rows.values[i] += this.rows;
    this.rows += block.rows;
  }

  get start() { return this.rows ? this.columns.time.values[0] : 0; }
  get end() { return this.rows ? this.columns.time.values[this.rows - 1] : 0; }

  // the last instant that is not after a time
  rowBefore(time) {
    const times = this.columns.time.values;
    let low = 0, high = this.rows - 1;
    if (time >= times[high]) return high;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    return low;
  }

  // the two instants about a time, and how far it is from the first to the second
  at(time) {
    const times = this.columns.time.values, low = this.rowBefore(time);
    const next = Math.min(low + 1, this.rows - 1);
    const span = times[next] - times[low];
    const part = span > 0 ? Math.min(Math.max((time - times[low]) / span, 0), 1) : 0;
    this.instant = { low, high: next, part };
    return this.instant;
  }

  // components k to k + n of a column between the two instants
  mix(name, k, n, out) {
    const { low, high, part } = this.instant, column = this.columns[name];
    for (let i = 0; i < n; i++) {
      const a = column.values[low * column.width + k + i], b = column.values[high * column.width + k + i];
      out[i] = a + part * (b - a);
    }
    return out;
  }

  // what has no values in between: that of the first instant
  held(name, k) {
    const column = this.columns[name];
    return column.values[this.instant.low * column.width + k];
  }

  attitude(THREE, body, out) {
    const { low, high, part } = this.instant, { values, width } = this.columns.attitude;
    const a = low * width + 4 * body, b = high * width + 4 * body;
    // stored w x y z
    out.set(values[a + 1], values[a + 2], values[a + 3], values[a]);
    Store.next.set(values[b + 1], values[b + 2], values[b + 3], values[b]);
    return out.slerp(Store.next, part).normalize();
  }

  // touches of the instant nearest to now
  touches() {
    const { low, high, part } = this.instant, row = part < 0.5 ? low : high;
    const rows = this.columns.touch_row;
    let a = 0, b = rows.used;
    while (a < b) {
      const middle = (a + b) >> 1;
      if (rows.values[middle] < row) a = middle + 1; else b = middle;
    }
    const found = [];
    for (let i = a; i < rows.used && rows.values[i] === row; i++) {
      found.push({ pair: this.columns.touch_pair.values[i], values: this.columns.touch.values.subarray(6 * i, 6 * i + 6) });
    }
    return found;
  }
}
