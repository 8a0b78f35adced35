// The load process: some keep-alive connections with one request in flight on each. It writes and reads plain bytes, so that
// it is never the slower side. It reports the number of responses, and stops the benchmark when one is not a 200.

import { connect, type Socket } from 'node:net'
import type { RawRequest } from './cases.ts'

export interface LoadOrder {
  port: number
  requests: RawRequest[]
  authorization: string | null
  connections: number
  milliseconds: number
}

process.on('message', async (order: LoadOrder) => {
  const bytes = order.requests.map((request) => rawBytes(request, order.authorization))
  const until = performance.now() + order.milliseconds
  let next = 0
  const counts = await Promise.all(
    Array.from({ length: order.connections }, () => drive(order.port, until, () => bytes[next++ % bytes.length]!)),
  )
  process.send?.({ kind: 'done', answers: counts.reduce((sum, count) => sum + count, 0) })
})

// The meter releases the channel, and nothing else keeps this process alive.
process.channel?.ref()

function drive(port: number, until: number, request: () => Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let answers = 0
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.on('error', reject)
    socket.on('connect', () => socket.write(request()))
    onAnswer(socket, (status) => {
      if (status !== '200') return socket.destroy(new Error(`An answer had the status ${status}`))
      answers++
      if (performance.now() < until) return socket.write(request())
      socket.end()
      return resolve(answers)
    })
  })
}

function onAnswer(socket: Socket, answered: (status: string) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = rest.toString('latin1', 0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)
    if (length === null) socket.destroy(new Error(`An answer had no length:\n${head}`))
    if (rest.length < end + 4 + Number(length?.[1])) return
    rest = Buffer.alloc(0)
    answered(head.slice(9, 12))
  })
}

function rawBytes({ method, path, body }: RawRequest, authorization: string | null): Buffer {
  const token = authorization === null ? '' : `Authorization: ${authorization}\r\n`
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n${token}`
  if (body === null) return Buffer.from(`${head}\r\n`)
  return Buffer.from(
    `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
