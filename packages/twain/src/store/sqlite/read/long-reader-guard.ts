// A thread of a reading process that ends it when its server is gone. The main thread can't: while it reads it hears
// nothing, and a read may be endless. An orphan has another parent.

import { workerData } from 'node:worker_threads'

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL')
}, 500)
