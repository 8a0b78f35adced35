// Loaded into each process of tests. `--test-timeout` ends a test that hangs, and not a process that stays because something of
// it is still open: that one would hold up the run for ever.

/** Of one file; of the run for who starts them. */
const minutes = process.env.NODE_TEST_CONTEXT === undefined ? 30 : 10

setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(', ')
  console.error(`✖ ${process.argv[1] ?? 'tests'}: not ended after ${minutes} minutes; still open: ${open}`)
  process.exit(1)
}, minutes * 60_000).unref()
