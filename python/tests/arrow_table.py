"""A table that offers the Arrow PyCapsule interface, made by hand: neither pyarrow nor Polars is needed."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p

import numpy as np


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64),
                   ("n_children", c_int64), ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)),
                   ("release", CFUNCTYPE(None, POINTER(Schema))), ("private_data", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                  ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))),
                  ("dictionary", POINTER(Array)), ("release", CFUNCTYPE(None, POINTER(Array))),
                  ("private_data", c_void_p)]
Stream._fields_ = [("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
                   ("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
                   ("get_last_error", CFUNCTYPE(c_char_p, POINTER(Stream))),
                   ("release", CFUNCTYPE(None, POINTER(Stream))), ("private_data", c_void_p)]


def pointers(kind, structs):
    return (POINTER(kind) * len(structs))(*(ctypes.pointer(struct) for struct in structs))


def capsule_of(stream):
    """The stream as the PyCapsule interface hands it out; the caller keeps it alive."""
    new = ctypes.pythonapi.PyCapsule_New
    new.argtypes, new.restype = [c_void_p, c_char_p, c_void_p], ctypes.py_object
    return new(ctypes.addressof(stream), b"arrow_array_stream", None)


class ArrowTable:
    """Columns of numbers (NaN becomes null) or texts."""

    def __init__(self, columns):
        self.rows = len(next(iter(columns.values())))
        self.released = []
        self._schemas, self._arrays, self._kept = [], [], []
        for name, values in columns.items():
            values = np.asarray(values)
            if values.dtype.kind == "f":
                known = np.packbits(~np.isnan(values), bitorder="little")
                self._add(name, b"g", -1, [known, np.ascontiguousarray(values)])
                continue
            texts = [str(value).encode() for value in values]
            ends = np.cumsum([0, *map(len, texts)]).astype(np.int32)
            self._add(name, b"u", 0, [None, ends, np.frombuffer(b"".join(texts) or b"\0", dtype=np.uint8)])

    def _add(self, name, kind, nulls, buffers):
        places = (c_void_p * len(buffers))(*(None if part is None else part.ctypes.data for part in buffers))
        self._kept.append((buffers, places))
        self._schemas.append(Schema(format=kind, name=name.encode()))
        self._arrays.append(Array(length=self.rows, null_count=nulls, n_buffers=len(buffers), buffers=places))

    def __arrow_c_stream__(self, requested_schema=None):
        batches = [None]

        def get_schema(_, out):
            children = pointers(Schema, self._schemas)
            self._kept.append(children)
            out[0] = Schema(format=b"+s", n_children=len(self._schemas), children=children,
                            release=self._release(Schema, "schema"))
            return 0

        def get_next(_, out):
            if not batches:
                out[0] = Array()
                return 0
            batches.pop()
            children, none = pointers(Array, self._arrays), (c_void_p * 1)()
            self._kept.append((children, none))
            out[0] = Array(length=self.rows, n_buffers=1, buffers=none, n_children=len(self._arrays), children=children,
                           release=self._release(Array, "array"))
            return 0

        stream = Stream(Stream._fields_[0][1](get_schema), Stream._fields_[1][1](get_next),
                        Stream._fields_[2][1](lambda _: b""), self._release(Stream, "stream"), None)
        self._kept.append(stream)
        return capsule_of(stream)

    def _release(self, kind, name):
        def release(struct):
            struct[0].release = type(struct[0].release)()
            self.released.append(name)
        function = CFUNCTYPE(None, POINTER(kind))(release)
        self._kept.append(function)
        return function
