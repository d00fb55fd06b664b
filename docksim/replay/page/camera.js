// where one looks from: a target in a frame that rides on a body, and an orbit about it
"use strict";

const DEG = Math.PI / 180;

class View {
  constructor(THREE, sight, payload) {
    Object.assign(this, { THREE, sight, payload });
    this.target = new THREE.Vector3();
    this.presets = this.fitted();
    this.choose(0);
    this.listen(sight.renderer.domElement);
  }

  // frames: "passive", "active": ports; "ride": the anchor; "world": axes of W about everything there is
  list() {
    const focus = this.payload.focus, whole = { name: "overview", frame: "world", target: [0, 0, 0], yaw: 50, pitch: 22, distance: 3 };
    if (!focus) {
      return [
        { ...whole, name: "three-quarter" },
        { ...whole, name: "side", yaw: 90, pitch: 0 },
        { ...whole, name: "along the axis", yaw: 0, pitch: 0 },
        { ...whole, name: "ride the vehicle", frame: "ride", distance: 3.2 * this.extent().radius, yaw: 205, pitch: 18 },
        { ...whole, name: "top", yaw: 90, pitch: 89 },
      ];
    }
    const r = focus.radius, near = { frame: "passive", target: [0.35 * r, 0, 0], distance: 8 * r };
    return [
      { ...near, name: "three-quarter", yaw: 62, pitch: 24 },
      { ...near, name: "side", yaw: 90, pitch: 0 },
      { ...near, name: "along the axis", yaw: 0, pitch: 0, distance: 6.5 * r, hide: focus.vehicle },
      { frame: "active", name: this.payload.links.length ? "ride the ring" : "ride the port", target: [0.3 * r, 0, 0], distance: 4.2 * r, yaw: 155, pitch: 24, hide: focus.vehicle },
      whole,
    ];
  }

  // the presets, the first of them so far back that it holds all that the first events are about
  fitted() {
    const presets = this.list(), first = presets[0];
    if (!this.payload.subjects.length || first.frame === "world") return presets;
    this.frame = first.frame;
    const T = this.THREE, inverse = this.riding(new T.Matrix4()).invert(), radius = this.payload.focus.radius, half = 0.5 * this.sight.camera.fov * DEG;
    const ball = (x, y, z) => new T.Box3(new T.Vector3(x - radius, y - radius, z - radius), new T.Vector3(x + radius, y + radius, z + radius));
    const box = ball(...first.target);
    for (const one of this.payload.subjects) {
      const at = new T.Vector3(...one.position).applyMatrix4(this.sight.bodies[one.body].matrixWorld).applyMatrix4(inverse);
      box.union(ball(at.x, at.y, at.z));
      const seen = one.whole ? this.sight.parts.filter((part) => part.body === one.body && part.kind !== "frame") : [];
      for (const part of seen) box.union(new T.Box3().setFromObject(part.object).applyMatrix4(inverse));
    }
    const middle = box.getCenter(new T.Vector3()), around = 0.5 * box.getSize(new T.Vector3()).length();
    // what the preset holds anyway stays as it is
    const held = middle.distanceTo(new T.Vector3(...first.target)) + around;
    if (held > first.distance * Math.tan(half)) presets[0] = { ...first, target: middle.toArray(), distance: around / Math.sin(half) };
    return presets;
  }

  // a sphere about everything, now
  extent() {
    const T = this.THREE, box = new T.Box3(), middle = new T.Vector3();
    this.sight.bodies.forEach((group, body) => {
      const size = this.sight.sizes[body];
      if (size > 0) box.expandByPoint(middle.copy(group.position).addScalar(size)).expandByPoint(middle.copy(group.position).addScalar(-size));
    });
    if (box.isEmpty()) return { middle: middle.set(0, 0, 0), radius: 3 };
    box.getCenter(middle);
    let radius = 0.5;
    this.sight.bodies.forEach((group, body) => { radius = Math.max(radius, middle.distanceTo(group.position) + this.sight.sizes[body]); });
    return { middle, radius };
  }

  choose(number) {
    const preset = this.presets[number];
    this.number = number;
    this.frame = preset.frame;
    this.target.set(...preset.target);
    this.distance = preset.distance;
    this.yaw = preset.yaw * DEG;
    this.pitch = preset.pitch * DEG;
    this.sight.hidden = preset.hide;
    this.sight.near = preset.frame === "passive" || preset.frame === "active";
    if (this.changed) this.changed();
  }

  // the frame's axes and origin now; distances in "world" are counted in radii of everything
  riding(matrix) {
    const focus = this.payload.focus, T = this.THREE;
    matrix.identity();
    if (this.frame === "world") return matrix.setPosition(this.extent().middle);
    if (this.frame === "ride") return matrix.copy(this.sight.bodies[this.payload.anchor].matrixWorld);
    const port = focus[this.frame], a = port.axes, own = new T.Matrix4();
    own.set(a[0], a[3], a[6], port.position[0], a[1], a[4], a[7], port.position[1], a[2], a[5], a[8], port.position[2], 0, 0, 0, 1);
    return matrix.multiplyMatrices(this.sight.bodies[port.body].matrixWorld, own);
  }

  aim(camera, aspect) {
    const T = this.THREE, frame = this.riding(new T.Matrix4());
    const unit = this.frame === "world" ? this.extent().radius : 1;
    const level = Math.cos(this.pitch), reach = unit * this.distance * Math.max(1, 1.15 / aspect);
    const arm = new T.Vector3(level * Math.cos(this.yaw), level * Math.sin(this.yaw), Math.sin(this.pitch)).multiplyScalar(reach);
    const turn = new T.Matrix4().extractRotation(frame);
    camera.up.set(0, 0, 1).applyMatrix4(turn);
    const target = this.target.clone().applyMatrix4(frame);
    camera.position.copy(target).add(arm.applyMatrix4(turn));
    camera.lookAt(target);
    camera.aspect = aspect;
    camera.near = reach / 60;
    camera.far = 60 * reach + 1000;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    this.reach = reach;
  }

  // pixels for a metre at the target
  scale(height) {
    return height / (2 * this.reach * Math.tan(0.5 * this.sight.camera.fov * DEG));
  }

  turnBy(dx, dy) {
    this.yaw -= 0.006 * dx;
    this.pitch = Math.min(Math.max(this.pitch + 0.006 * dy, -89 * DEG), 89 * DEG);
    this.moved();
  }

  shiftBy(dx, dy) {
    const step = 1 / this.scale(this.sight.height);
    const right = [-Math.sin(this.yaw), Math.cos(this.yaw), 0], s = Math.sin(this.pitch);
    const up = [-s * Math.cos(this.yaw), -s * Math.sin(this.yaw), Math.cos(this.pitch)];
    for (const [i, axis] of ["x", "y", "z"].entries()) this.target[axis] += step * (-dx * right[i] + dy * up[i]);
    this.moved();
  }

  zoomBy(factor) {
    this.distance = Math.min(Math.max(this.distance * factor, 0.05), 1e5);
    this.moved();
  }

  moved() {
    if (this.changed) this.changed();
  }

  listen(canvas) {
    const held = new Map();
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.choose(this.number));
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, event);
    });
    canvas.addEventListener("pointerup", (event) => held.delete(event.pointerId));
    canvas.addEventListener("pointercancel", (event) => held.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      if (held.size === 2) {
        const other = [...held.values()].find((one) => one.pointerId !== event.pointerId);
        const span = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
        this.zoomBy(span(before) / Math.max(span(event), 1));
      } else if (event.buttons & 2 || event.shiftKey) this.shiftBy(dx, dy);
      else this.turnBy(dx, dy);
      held.set(event.pointerId, event);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomBy(Math.exp(0.0012 * event.deltaY));
    }, { passive: false });
  }
}
