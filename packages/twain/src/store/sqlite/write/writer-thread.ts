// The writer thread. It writes one file after another: until it is told to close the one, and gets the next.

import { parentPort } from 'node:worker_threads'
import type { Job } from '../../write/steps/write-job.ts'
import { FileWriter } from './file-writer.ts'
import { type ExclusiveJob, sentResults, type WriterStart } from './writer-data.ts'

interface OpenFile {
  writer: FileWriter
  send: (message: unknown) => void
  close: () => void
}

let open: OpenFile | null = null

parentPort!.on('message', (message: WriterStart | Job[] | ExclusiveJob | 'close') => {
  if (open === null) {
    open = openFile(message as WriterStart)
    parentPort!.postMessage('ready')
  } else if (message === 'close') {
    open.close()
    open = null
    parentPort!.postMessage('closed')
  } else {
    open.send(open.writer.run(message as Job[] | ExclusiveJob))
  }
})

function openFile({ results, ...data }: WriterStart): OpenFile {
  const report = new Float64Array(data.report)
  const send = (message: unknown) => {
    results.postMessage(message)
    report[sentResults]!++
  }
  const writer = new FileWriter(data, send)
  const close = () => {
    writer.close()
    results.close()
  }
  return { writer, send, close }
}
