"""The daily workbook: `workbook` writes the file, one module per group of sheets fills it."""
