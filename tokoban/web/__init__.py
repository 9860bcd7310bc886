"""The web page: a server on the loopback address, and worker processes that do its jobs.

``server`` binds and runs, ``app`` has the routes, ``safety`` refuses what is not the page's own,
``wire`` turns boards, level files and answers into JSON, ``jobs`` keeps the queue, ``worker`` is
the process that works, and the modules ``*_jobs`` say what the work is.
"""
