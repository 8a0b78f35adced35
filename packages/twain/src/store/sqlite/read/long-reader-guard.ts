// A thread of a reader process that ends it when its server has ended. The main thread of the process can't: it handles no
// events while it reads. An orphan has another parent process.

import { workerData } from 'node:worker_threads'
import { setInterval } from '#base/time'

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL')
}, 500)
