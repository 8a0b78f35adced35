// Loaded into each test process. `--test-timeout` ends a test that hangs, but not a process that stays because a socket or a timer
// of it is still open. This does, and prints what is open.

const minutes = Number(process.env.TWAIN_TEST_LIMIT_MINUTES ?? 10)

setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(', ')
  console.error(`✖ ${process.argv[1] ?? 'tests'}: not ended after ${minutes} minutes; still open: ${open}`)
  process.exit(1)
}, minutes * 60_000).unref()
