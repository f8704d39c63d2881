"""How often can it be won: thousands of deals solved, stored, counted and published.

From bottom to top::

    deals       which deals: ranges, lists, samples, shards
    program     which search and which machine a result is from
    lines       compact text of a winning line, and files of such lines
    store       one SQLite file: every finished deal, durable at once
    run         solve deals in any `concurrent.futures.Executor`
    pool        worker processes of this machine, and how they end
    cluster     workers of a Dask cluster                       (extra ``cluster``)
    stats       intervals, percentiles, paired comparison
    report      what a store says: text, JSON, CSV
    plot        the same as a picture                           (extra ``plots``)
    verify      replay of every stored line by the referee
    commands    ``spider batch``, ``report``, ``merge``, ``verify``

Nothing here imports numba or numpy before a deal is solved.
"""
