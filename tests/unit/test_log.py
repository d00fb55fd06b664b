"""The log: named fields, rows that are picked and taken over, and numbers that are sent and come back."""

from __future__ import annotations

import numpy as np
import pytest

from docksim.compiler import Compiled, compile_scenario
from docksim.config import load_scenario
from docksim.model import log as module
from docksim.model.log import Log, new_log
from docksim.realtime.rows import log_of, row_numbers, row_payload, row_width

DTYPES = {name: value for name, value in vars(module).items() if name.startswith("LOG_")}


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    return loaded(True)


def loaded(rows: bool) -> Compiled:
    changes = {"outputs.contact_rows": rows, "outputs.joint_loads": not rows}
    return compile_scenario(load_scenario("scenarios/dock_nds.yaml", changes))


def numbered(compiled: Compiled, rows: int) -> Log:
    """Every number another one."""
    log = new_log(compiled.model, rows)
    count = 0
    for table in log.tables().values():
        values = table.view(np.float64)
        values[...] = np.arange(count, count + values.size).reshape(values.shape)
        count += values.size
    return log


def test_all_fields_are_floats_without_holes() -> None:
    assert len(DTYPES) == len(Log._fields) - 1
    for name, dtype in DTYPES.items():
        fields = [dtype[field].subdtype or (dtype[field], ()) for field in dtype.names]
        assert {base for base, _ in fields} == {np.dtype(np.float64)}, name
        assert sum(8 * int(np.prod(shape)) for _, shape in fields) == dtype.itemsize, name


def test_tables_have_a_column_for_every_part_that_is_logged(compiled: Compiled) -> None:
    log, model = new_log(compiled.model, 3), compiled.model
    assert log.rows[0] == 0
    bodies = len(model.body) - 1
    assert (log.head.shape, log.body.shape, log.dof.shape) == ((3,), (3, bodies), (3, len(model.dof)))
    assert (log.leg.shape, log.shaft.shape) == ((3, len(model.leg)), (3, len(model.shaft)))
    assert (log.contact.shape, log.latch.shape) == ((3, len(model.contact)), (3, len(model.latch)))
    # one is asked for, the other is not
    assert (log.gap.shape, log.load.shape) == ((3, len(model.contact_row)), (3, 0))
    assert log.largest.shape == (3, len(model.hung) + len(model.weld) + len(model.mechanism))
    other = new_log(loaded(False).model, 3)
    assert (other.gap.shape, other.load.shape) == ((3, 0), (3, bodies))


def test_picked_rows_are_the_same_memory_of_a_slice_and_a_copy_of_numbers(compiled: Compiled) -> None:
    log = numbered(compiled, 4)
    some, few = log.picked(slice(1, 3)), log.picked(np.array([0, 3]))
    assert (some.rows[0], few.rows[0]) == (2, 2)
    log.body["position"] = -1.0
    assert (some.body["position"] == -1.0).all()
    assert not (few.body["position"] == -1.0).any()
    log.rows[0] = 3
    assert [len(table) for table in log.filled().tables().values()] == [3] * (len(Log._fields) - 1)


def test_appended_row_is_the_other_log_s(compiled: Compiled) -> None:
    log, other = new_log(compiled.model, 3), numbered(compiled, 5)
    for row in (4, 1):
        log.append(other, row)
    assert log.rows[0] == 2
    for name, table in log.filled().tables().items():
        assert table.tobytes() == other.picked(np.array([4, 1])).tables()[name].tobytes(), name


def test_row_that_is_sent_comes_back_to_the_bit(compiled: Compiled) -> None:
    log = numbered(compiled, 3)
    sent = []
    for k in range(3):
        found = row_numbers(memoryview(row_payload(b"12345678", log.picked(slice(k, k + 1)), compiled.state)))
        assert found is not None
        sent.append(found[2])
    assert [len(numbers) for numbers in sent] == [row_width(compiled.model)] * 3
    back = log_of(compiled.model, sent)
    assert back.rows[0] == 3
    for name, table in back.tables().items():
        assert table.tobytes() == log.tables()[name].tobytes(), name


def test_rows_that_are_left_out_leave_their_extremes_to_the_next(compiled: Compiled) -> None:
    log = new_log(compiled.model, 6)
    log.contact["largest"][:, 0, 0] = [1.0, 7.0, 2.0, 3.0, 9.0, 4.0]
    log.contact["least"][:, 0, 0] = [-1.0, -7.0, -2.0, -3.0, -9.0, -4.0]
    log.largest["force"][:, 0] = [1.0, 7.0, 2.0, 3.0, 9.0, 4.0]
    log.head["time"] = np.arange(6.0)
    found = log.gathered(np.array([2, 3, 5]), 1)
    assert found.head["time"].tolist() == [2.0, 3.0, 5.0]
    assert found.contact["largest"][:, 0, 0].tolist() == [7.0, 3.0, 9.0]
    assert found.contact["least"][:, 0, 0].tolist() == [-7.0, -3.0, -9.0]
    assert found.largest["force"][:, 0].tolist() == [7.0, 3.0, 9.0]
    # what is no extreme is that of the row
    assert found.rows[0] == 3
    assert log.contact["largest"][2, 0, 0] == 2.0
