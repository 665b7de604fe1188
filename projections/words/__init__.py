"""The words of the views: a package for each language, with the same functions and tables in each.

A function takes values and returns a whole sentence. Nothing else in the views holds a word that people read.
"""
