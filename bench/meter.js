// Loaded into a server process before its own code (`--import`): reports the resource usage of the process to the benchmark, and
// profiles its main thread on demand.
// It is plain JavaScript, so that the process starts and compiles as usual.

let session = null

process.on('message', (message) => {
  if (message === 'read') tell()
  if (message === 'profile') void startProfile()
  if (message === 'end of profile') void endProfile()
})
// Processes that the server starts have a channel to the server, and no meter.
process.execArgv = []
// The meter must not keep a server alive.
process.channel?.unref()

function tell() {
  const { user, system } = process.cpuUsage()
  process.send?.({ kind: 'reading', cpu: user + system, memory: process.memoryUsage.rss() })
}

async function startProfile() {
  const { Session } = await import('node:inspector/promises') // not earlier: it takes memory
  session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  process.send?.({ kind: 'profiling' })
}

async function endProfile() {
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  process.send?.({ kind: 'profile', profile })
}
