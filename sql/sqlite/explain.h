/* sql/sqlite/explain.h - the table-valued function credence_explain. */
#ifndef CREDENCE_SQL_SQLITE_EXPLAIN_H
#define CREDENCE_SQL_SQLITE_EXPLAIN_H

#include <sqlite3ext.h>

int credence_explain_module(sqlite3 *db); /* an SQLite status */

#endif
