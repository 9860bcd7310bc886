"""The web page: a server on the loopback address, and worker processes that do its jobs.

``server`` binds and runs, ``app`` has the routes, ``safety`` refuses requests of other pages,
``wire`` turns boards, level files and answers into JSON, ``jobs`` keeps the queue, ``worker`` is
the worker process, and the modules ``*_jobs`` define the jobs.
"""
