# Functions that the table's expressions call.
