// what the pages use of three.js
export {
  BufferAttribute, BufferGeometry, Box3, Color, DirectionalLight, DoubleSide, EdgesGeometry, Group, HemisphereLight, LineBasicMaterial,
  LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, PerspectiveCamera, Quaternion, REVISION, Scene, Vector3,
  WebGLRenderer,
} from "three";
