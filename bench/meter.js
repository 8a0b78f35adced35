// Loaded into a server process before its own code (`--import`): reports the resource usage of the process to the benchmark.
// It is plain JavaScript, so that the process starts and compiles as usual.

process.on('message', (message) => {
  if (message === 'read') tell()
})
// Processes that the server starts have a channel to the server, and no meter.
process.execArgv = []
// The meter must not keep a server alive.
process.channel?.unref()

function tell() {
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'reading', cpu: user + system, memory: process.memoryUsage.rss() })
}
