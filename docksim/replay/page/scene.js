// the solids: built once, then placed for every picture
"use strict";

// length of an arrow: this much for every factor of ten, counted from one newton [m]
const ARROW_DECADE_M = 0.1;
const LATCH_LOOKS = { open: 0xe69f00, closed: 0x009e73, failed: 0xb00020, lost: 0x6a1b9a };
const TOUCH_LOOK = 0xc2185b, PULL_LOOK = 0x00695c;

class Sight {
  constructor(THREE, payload, store, box) {
    Object.assign(this, { THREE, payload, store, box });
    this.renderer = new THREE.WebGLRenderer({ antialias: true });
    this.setGrain(1);
    box.prepend(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(0xf6f7f9);
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.05, 5000);
    this.addLights();
    this.shapes = payload.meshes.map((mesh) => this.shape(mesh));
    this.bodies = payload.bodies.map(() => this.scene.add(new THREE.Group()) && this.scene.children[this.scene.children.length - 1]);
    this.parts = payload.parts.map((part) => this.addPart(part));
    this.sizes = payload.bodies.map((_, body) => this.size(body));
    this.links = payload.links.map((link) => this.addLink(link));
    this.latches = payload.latches.map((latch) => this.addLatch(latch));
    this.arrows = [];
    this.labels = payload.labels.map((label) => this.addLabel(label));
    this.show = { hulls: true, forces: true, labels: true };
    this.scratch = { v: new THREE.Vector3(), w: new THREE.Vector3(), q: new THREE.Quaternion(), three: [0, 0, 0] };
    Store.next = new THREE.Quaternion();
  }

  // fewer pixels while a slow machine plays, all of them when it rests
  setGrain(grain) {
    if (grain === this.grain) return;
    this.grain = grain;
    this.renderer.setPixelRatio(grain * Math.min(window.devicePixelRatio || 1, 2));
  }

  addLights() {
    const T = this.THREE;
    this.scene.add(new T.HemisphereLight(0xffffff, 0xb8bec8, 0.75 * Math.PI));
    const key = new T.DirectionalLight(0xffffff, 0.62 * Math.PI);
    key.position.set(-0.5, 0.7, 1.0);
    const rig = new T.Group();
    rig.add(key, key.target);
    this.camera.add(rig);
    this.scene.add(this.camera);
  }

  shape(mesh) {
    const shape = new this.THREE.BufferGeometry();
    shape.setAttribute("position", new this.THREE.BufferAttribute(decoded(mesh.vertices, Float32Array), 3));
    shape.setIndex(new this.THREE.BufferAttribute(decoded(mesh.triangles, Uint32Array), 1));
    shape.computeVertexNormals();
    return shape;
  }

  skin(colour, opacity) {
    const solid = opacity >= 1;
    return new this.THREE.MeshStandardMaterial({
      color: new this.THREE.Color(colour), roughness: 0.62, metalness: 0.05, opacity,
      transparent: !solid, depthWrite: solid, side: this.THREE.DoubleSide,
    });
  }

  addPart(part) {
    const T = this.THREE, group = new T.Group(), shape = this.shapes[part.mesh];
    if (part.kind !== "frame") group.add(new T.Mesh(shape, this.skin(part.colour, part.opacity)));
    if (["frame", "hull", "body", "beam", "interface"].includes(part.kind)) {
      const faint = part.kind === "frame" || part.kind === "hull";
      const look = new T.LineBasicMaterial({ color: faint ? 0x8894a3 : 0x2b3440, transparent: true, opacity: faint ? 0.55 : 0.5 });
      group.add(new T.LineSegments(new T.EdgesGeometry(shape, 28), look));
    }
    this.bodies[part.body].add(group);
    return { ...part, object: group };
  }

  // how far what a body carries reaches from its origin
  size(body) {
    let reach = 0;
    for (const part of this.parts.filter((one) => one.body === body && one.kind !== "frame")) {
      const shape = this.shapes[part.mesh];
      shape.computeBoundingSphere();
      reach = Math.max(reach, shape.boundingSphere.center.length() + shape.boundingSphere.radius);
    }
    return reach;
  }

  addLink(link) {
    const mesh = new this.THREE.Mesh(this.shapes[link.mesh], this.skin(link.colour, 1));
    this.scene.add(mesh);
    return { ...link, object: mesh };
  }

  addLatch(latch) {
    const T = this.THREE, hinge = new T.Group(), turn = new T.Group();
    const a = latch.axes;
    hinge.quaternion.setFromRotationMatrix(new T.Matrix4().set(a[0], a[3], a[6], 0, a[1], a[4], a[7], 0, a[2], a[5], a[8], 0, 0, 0, 0, 1));
    hinge.position.set(...latch.position);
    const mesh = new T.Mesh(this.shapes[this.payload.hook], this.skin("#e69f00", 1));
    turn.add(mesh, new T.LineSegments(new T.EdgesGeometry(mesh.geometry, 28), new T.LineBasicMaterial({ color: 0x2b3440 })));
    hinge.add(turn);
    this.bodies[latch.body].add(hinge);
    const dot = document.createElement("i");
    document.getElementById("latches").append(dot);
    return { ...latch, turn, mesh, dot };
  }

  addLabel(label) {
    const tag = document.createElement("span");
    tag.className = "tag";
    tag.textContent = label.text;
    this.box.append(tag);
    return { ...label, tag };
  }

  // everything where it is at a time
  place(time) {
    const store = this.store, scratch = this.scratch;
    store.at(time);
    this.bodies.forEach((group, body) => {
      group.position.set(...store.mix("position", 3 * body, 3, scratch.three));
      store.attitude(this.THREE, body, group.quaternion);
      group.updateMatrixWorld(true);
    });
    this.links.forEach((link) => {
      const from = this.point(link.start, scratch.v), to = this.point(link.end, scratch.w);
      link.object.position.copy(from);
      link.object.quaternion.setFromUnitVectors(Sight.X(this.THREE), to.sub(from).normalize());
    });
    this.placeLatches();
    this.placeArrows();
    for (const part of this.parts) {
      if (["hull", "frame", "mount"].includes(part.kind)) part.object.visible = this.show.hulls && part.vehicle !== this.hidden;
      // the edges of a large stand-in only disturb a view from near
      if (part.kind === "frame") part.object.visible = part.object.visible && !this.near;
    }
  }

  point(point, out) {
    if (point.track >= 0) out.set(...this.store.mix("points", 3 * point.track, 3, this.scratch.three));
    else out.set(...point.position);
    return out.applyMatrix4(this.bodies[point.body].matrixWorld);
  }

  placeLatches() {
    for (const latch of this.latches) {
      const closed = (this.store.held("latched", latch.pair) >> latch.number) & 1;
      const lost = (this.store.held("lost", latch.pair) >> latch.number) & 1;
      const look = latch.failed ? "failed" : lost ? "lost" : closed ? "closed" : "open";
      if (latch.look === look) continue;
      latch.look = look;
      if (lost) document.getElementById("lost").hidden = false;
      latch.turn.rotation.z = closed ? 0 : (this.payload.open_deg * Math.PI) / 180;
      latch.mesh.material.color.setHex(LATCH_LOOKS[look]);
      latch.dot.className = `dot ${look}`;
      latch.dot.title = `${this.payload.pairs[latch.pair].name}, latch ${latch.number + 1}: ${look}`;
    }
  }

  placeArrows() {
    let used = 0;
    if (this.show.forces && this.store.rows) {
      for (const touch of this.store.touches()) {
        const frame = this.payload.pairs[touch.pair].first, [x, y, z, fx, fy, fz] = touch.values;
        used += this.arrow(used, frame, [x, y, z], [fx, fy, fz], TOUCH_LOOK);
      }
      this.latches.forEach((latch, k) => {
        const pull = this.store.mix("pull", k, 1, [0])[0];
        // a latch pulls its striker towards itself, along -x of its port
        const frame = { body: latch.body, position: latch.position, axes: latch.axes };
        const length = 0.06;
        used += this.arrow(used, frame, [length, 0, 0], [-pull, 0, 0], PULL_LOOK);
      });
    }
    for (let i = used; i < this.arrows.length; i++) this.arrows[i].visible = false;
    this.arrowsShown = used;
  }

  // one arrow, in a frame on a body; 1 if its force is worth showing
  arrow(number, frame, at, force, colour) {
    const size = Math.hypot(...force);
    if (size < 1) return 0;
    const T = this.THREE, a = frame.axes, scratch = this.scratch;
    if (number >= this.arrows.length) {
      const look = new T.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
      this.arrows.push(new T.Mesh(this.shapes[this.payload.arrow], look));
      this.arrows[number].renderOrder = 10;
      this.scene.add(this.arrows[number]);
    }
    const out = (v, target) => target.set(
      a[0] * v[0] + a[3] * v[1] + a[6] * v[2], a[1] * v[0] + a[4] * v[1] + a[7] * v[2], a[2] * v[0] + a[5] * v[1] + a[8] * v[2]);
    const mesh = this.arrows[number], body = this.bodies[frame.body], length = ARROW_DECADE_M * Math.log10(1 + size);
    out(at, scratch.v).add(scratch.w.set(...frame.position)).applyMatrix4(body.matrixWorld);
    out(force, scratch.w).multiplyScalar(1 / size).applyQuaternion(body.quaternion);
    mesh.position.copy(scratch.v);
    mesh.quaternion.setFromUnitVectors(Sight.X(T), scratch.w);
    mesh.scale.set(length, 0.28, 0.28);
    mesh.material.color.setHex(colour);
    mesh.visible = true;
    return 1;
  }

  draw(view) {
    const width = this.box.clientWidth, height = this.box.clientHeight;
    if (width !== this.width || height !== this.height) {
      Object.assign(this, { width, height });
      this.renderer.setSize(width, height);
    }
    view.aim(this.camera, width / Math.max(height, 1));
    this.renderer.render(this.scene, this.camera);
    this.drawLabels();
  }

  drawLabels() {
    for (const label of this.labels) {
      const at = this.scratch.v.set(...label.position).applyMatrix4(this.bodies[label.body].matrixWorld).project(this.camera);
      const inside = this.show.labels && at.z < 1 && Math.abs(at.x) < 1.1 && Math.abs(at.y) < 1.1;
      label.tag.hidden = !inside;
      if (inside) {
        const x = Math.min(Math.max((0.5 + 0.5 * at.x) * this.width, 40), this.width - 40);
        const y = Math.min(Math.max((0.5 - 0.5 * at.y) * this.height, 14), this.height - 14);
        label.tag.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
      }
    }
  }

  static X(THREE) {
    return (Sight.x = Sight.x || new THREE.Vector3(1, 0, 0));
  }
}
