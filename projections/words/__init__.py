"""The words of the views: a package per language, with the same functions and tables in each.

Each function takes values and returns a whole sentence. No other file of the views has words for people.
"""
