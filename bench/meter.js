// Loaded into a server process before its own code (`--import`): tells the bench what the process has used so far. Plain
// JavaScript, so that the process starts and compiles as any other.

process.on('message', (message) => {
  if (message === 'read') tell()
})
// The meter must not keep a server alive that wants to end.
process.channel?.unref()

function tell() {
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'reading', cpu: user + system, memory: process.memoryUsage.rss() })
}
