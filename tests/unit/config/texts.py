"""Scenario texts that the tests start from."""

SMALL = """\
vehicles:
  chaser:
    mass_kg: 100
    inertia_kg_m2: [10, 20, 25]
solver: {duration_s: 10}
"""

FULL = """\
name: full
description: one of everything
seed: 7
vehicles:
  chaser:
    mass_kg: 9000
    center_of_mass_m: [0.1, 0, 0]
    inertia_kg_m2: {xx: 9000, yy: 30000, zz: 31000, xy: -20}
    position_m: [-5, 0, 0]
    attitude: {yaw_pitch_roll_deg: [10, 0, 0]}
    velocity_m_s: [0.05, 0, 0]
    rate_deg_s: [0, 0.1, 0]
    ports:
      nose: {position_m: [2, 0, 0]}
      back: {position_m: [-2, 0, 0]}
    bodies:
      panel:
        mass_kg: 50
        inertia_kg_m2: [40, 10, 50]
        joint:
          type: revolute
          axis: [0, 1, 0]
          angle_deg: 5
          lower_deg: -90
          upper_deg: 90
          drive: {kind: move, to_deg: 30, duration_s: 4}
      cover:
        parent: panel
        mass_kg: 5
        inertia_kg_m2: [1, 1, 1]
        joint: {type: fixed}
      slide:
        mass_kg: 20
        inertia_kg_m2: [1, 1, 1]
        joint: {type: prismatic, axis: [1, 0, 0], travel_m: 0.1}
        ports: {tool: {}}
      sleeve:
        mass_kg: 20
        inertia_kg_m2: [1, 1, 1]
        joint: {type: cylindrical, axis: [1, 0, 0]}
      ball:
        parent: array.tip
        mass_kg: 20
        inertia_kg_m2: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        joint: {type: spherical, stiffness_Nm_rad: 3}
    beams:
      array: {length_m: 10, mass_kg: 60, EI_y_Nm2: 1e4, EI_z_Nm2: 9e4, GJ_Nm2: 5e3, width_m: 2, segments: 4}
    wheels:
      wheel_x: {axis: [1, 0, 0], spin_inertia_kg_m2: 0.1, mass_kg: 5, torque_limit_Nm: 0.2}
      wheel_y: {axis: [0, 1, 0], spin_inertia_kg_m2: 0.1, mass_kg: 5, torque_limit_Nm: 0.2}
      wheel_z: {axis: [0, 0, 1], spin_inertia_kg_m2: 0.1, mass_kg: 5, torque_limit_Nm: 0.2}
    thrusters:
      aft: {position_m: [-2, 0, 0], direction: [1, 0, 0], force_N: 200, pulses: [[0, 0.5], [2, 0.5]]}
    loads:
      shake: {body: panel, force_N: [0, 0, 1], frequency_Hz: 2, start_s: 1, end_s: 3}
    attitude_hold:
      stiffness_Nm_rad: 500
      damping_Nms_rad: [4000, 6000, 6000]
      torque_limit_Nm: 100
      sample_s: 0.1
      delay_s: 0.2
      actuator: wheels
  station:
    mass_kg: 4e5
    inertia_kg_m2: [1e8, 1e8, 1.5e8]
    ports:
      port: {attitude: {yaw_pitch_roll_deg: [180, 0, 0]}}
environment: {kind: clohessy_wiltshire, altitude_km: 400}
solver: {duration_s: 60, step_s: 0.002}
outputs: {every_s: 0.05}
events:
  deployed:
    when: {joint: chaser.panel, above_deg: 29}
    do: {lock: chaser.panel}
  capture:
    when: [{distance: [chaser.nose, station.port], below_m: 0.05}, {rate_of: chaser, below_deg_s: 0.5}]
    do:
      - join: [chaser.nose, station.port]
      - attitude_hold: {vehicle: chaser, mode: inhibited}
      - phase: DOCKED
    persistence: 5
  undock:
    when: {after: capture, delay_s: 20}
    do:
      - separate: {ports: [station.port, chaser.nose], push_off: {stiffness_N_m: 1000, stroke_m: 0.1}}
      - fire: {thruster: chaser.aft, duration_s: 1}
      - jettison: {body: chaser.cover}
  motors:
    when: {time_s: 3}
    do:
      - drive: {joint: chaser.slide, profile: {kind: rate, rate_m_s: 0.1}}
      - torque: {joint: chaser.sleeve, coordinate: 1, force_N: 3}
      - release: chaser.array.2
  end:
    when: {time_s: 50}
    do: {stop: time is up}
"""
