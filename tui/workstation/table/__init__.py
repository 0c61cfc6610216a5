"""Table of live data: columns, filter, order, selection and drawing."""
