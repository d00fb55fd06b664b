"""Events of hooks that pull: conditions on them, and what they are told."""

from __future__ import annotations

from pydantic import Field

from docksim.config.schema.fields import KeyFaults, NonNegative, Part, PortPair, Positive, exactly_one

PORTS = "The two ports; one of them has hooks with a count, and an event joins them."

WATCH = "How long it is watched, from when its valve is shut [s]."
LEAK = "Largest leak of a tight joint, reckoned to one atmosphere [g/h]."


class HooksClosedCondition(Part):
    """Holds while the cams of all hooks that move are at their end."""

    hooks_closed: PortPair = Field(description=PORTS)


class HooksOpenCondition(Part):
    """Holds from when the cams that were told to open are back; hooks that open late do not count."""

    hooks_open: PortPair = Field(description=PORTS)


class OpenHooksAction(Part):
    """Drive the cams of hooks back; the ports stay joined until they are separated."""

    open_hooks: PortPair = Field(description=PORTS)


class TightCondition(Part):
    """Holds if the space that was filled last has been watched, and lost no more than allowed."""

    tight: PortPair = Field(description=PORTS)
    watch_s: Positive = Field(60.0, description=WATCH)
    limit_g_h: Positive = Field(0.05, description=LEAK)


class LeaksCondition(Part):
    """Holds if the space that was filled last has been watched, and lost more than allowed."""

    leaks: PortPair = Field(description=PORTS)
    watch_s: Positive = Field(60.0, description=WATCH)
    limit_g_h: Positive = Field(0.05, description=LEAK)


class PressuriseCommand(Part):
    """A space of the joint that a valve fills."""

    ports: PortPair = Field(description=PORTS)
    tunnel_Pa: Positive | None = Field(None, description="Pressure of the tunnel in the end [Pa].")
    between_seals_Pa: Positive | None = Field(
        None, description="Pressure of the space between the two seals in the end [Pa]."
    )
    over_s: Positive = Field(
        10.0, description="How long it takes; the pressure rises evenly, then the valve shuts [s]."
    )

    def check(self) -> KeyFaults:
        return exactly_one(self, "tunnel_Pa", "between_seals_Pa")

    def space(self) -> tuple[int, float]:
        """Which one it is, 0 for the tunnel and 1 for what is between the seals, and its pressure [Pa]."""
        return (0, self.tunnel_Pa) if self.tunnel_Pa is not None else (1, self.between_seals_Pa or 0.0)


class VentCommand(Part):
    """Both spaces of the joint are vented."""

    ports: PortPair = Field(description=PORTS)
    to_Pa: NonNegative = Field(0.0, description="What stays [Pa].")
    over_s: Positive = Field(10.0, description="How long it takes; the pressure falls evenly [s].")


class PressuriseAction(Part):
    """Fill the tunnel of a joint, or the space between its seals."""

    pressurise: PressuriseCommand = Field(description="The ports, which space, its pressure and the time.")


class VentAction(Part):
    """Vent tunnel and space between the seals."""

    vent: VentCommand = Field(description="The ports, what stays and the time.")
