"""A query's result as DuckDB exports it through the Arrow C data interface, by its C library: Debian has no Python package."""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_uint64, c_void_p

from arrow_table import Array, Schema, Stream, capsule_of


class Result(ctypes.Structure):
    _fields_ = [("counts", c_uint64 * 3), ("columns", c_void_p), ("message", c_char_p), ("data", c_void_p)]


def load(path):
    """The library with the signatures that ctypes cannot guess."""
    library = ctypes.CDLL(path)
    for name, returned, arguments in [
            ("column_count", c_uint64, [POINTER(Result)]),
            ("column_name", c_char_p, [POINTER(Result), c_uint64]),
            ("column_logical_type", c_void_p, [POINTER(Result), c_uint64]),
            ("result_error", c_char_p, [POINTER(Result)]),
            ("result_get_arrow_options", c_void_p, [POINTER(Result)]),
            ("fetch_chunk", c_void_p, [Result]),
            ("to_arrow_schema", c_void_p, [c_void_p, POINTER(c_void_p), POINTER(c_char_p), c_uint64, POINTER(Schema)]),
            ("data_chunk_to_arrow", c_void_p, [c_void_p, c_void_p, POINTER(Array)])]:
        function = getattr(library, "duckdb_" + name)
        function.restype, function.argtypes = returned, arguments
    return library


class DuckDbTable:
    """The rows of one query; DuckDB hands them out 2,048 at a time."""

    def __init__(self, path, query):
        self._library, self._query = load(path), query.encode()
        self.batches = 0
        self._kept = []

    def __arrow_c_stream__(self, requested_schema=None):
        library, database, connection, result = self._library, c_void_p(), c_void_p(), Result()
        assert library.duckdb_open(None, byref(database)) == 0
        assert library.duckdb_connect(database, byref(connection)) == 0
        failed = library.duckdb_query(connection, self._query, byref(result))
        assert not failed, library.duckdb_result_error(byref(result))
        options = c_void_p(library.duckdb_result_get_arrow_options(byref(result)))

        def get_schema(_, out):
            count = library.duckdb_column_count(byref(result))
            types = (c_void_p * count)(*(library.duckdb_column_logical_type(byref(result), k) for k in range(count)))
            names = (c_char_p * count)(*(library.duckdb_column_name(byref(result), k) for k in range(count)))
            failure = library.duckdb_to_arrow_schema(options, types, names, count, out)
            for place in range(count):
                library.duckdb_destroy_logical_type(byref(c_void_p(types[place])))
            return 1 if failure else 0

        def get_next(_, out):
            chunk = c_void_p(library.duckdb_fetch_chunk(result))
            if not chunk:
                out[0] = Array()
                return 0
            self.batches += 1
            failure = library.duckdb_data_chunk_to_arrow(options, chunk, out)
            library.duckdb_destroy_data_chunk(byref(chunk))
            return 1 if failure else 0

        def release(stream):
            stream[0].release = type(stream[0].release)()
            library.duckdb_destroy_arrow_options(byref(options))
            library.duckdb_destroy_result(byref(result))
            library.duckdb_disconnect(byref(connection))
            library.duckdb_close(byref(database))

        kinds = [kind for _, kind in Stream._fields_]
        stream = Stream(kinds[0](get_schema), kinds[1](get_next), kinds[2](lambda _: b""), kinds[3](release), None)
        self._kept.append(stream)
        return capsule_of(stream)
