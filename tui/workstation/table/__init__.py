"""Table of live data: columns, filter, sorting, selection and drawing."""
