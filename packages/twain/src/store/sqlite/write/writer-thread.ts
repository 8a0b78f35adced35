// The writer thread. It writes one file after another: until it is told to close the one, and gets the next.

import { parentPort } from 'node:worker_threads'
import type { Job } from '../../write/steps/write-job.ts'
import { FileWriter } from './file-writer.ts'
import type { ExclusiveJob, WriterData } from './writer-data.ts'

let writer: FileWriter | null = null

parentPort!.on('message', (message: WriterData | Job[] | ExclusiveJob | 'close') => {
  parentPort!.postMessage(answer(message))
})

function answer(message: WriterData | Job[] | ExclusiveJob | 'close') {
  if (writer === null) {
    writer = new FileWriter(message as WriterData, (statement) => parentPort!.postMessage(statement))
    return 'ready'
  }
  if (message === 'close') {
    writer.close()
    writer = null
    return 'closed'
  }
  return writer.run(message as Job[] | ExclusiveJob)
}
