// The load process: some keep-alive connections with one request in flight on each. It writes and reads plain bytes, so that
// it is never the slower side. It reports the number of responses and their times, and stops the benchmark when one is not a 200
// or 201, or has errors of GraphQL.

import { connect, type Socket } from 'node:net'
import type { RawRequest } from './cases.ts'

export interface LoadOrder {
  port: number
  requests: RawRequest[]
  authorization: string | null
  connections: number
  milliseconds: number
  /** Ends before that time after so many responses. */
  answers?: number
}

process.on('message', async (order: LoadOrder) => {
  const bytes = order.requests.map((request) => rawBytes(request, order.authorization))
  const until = performance.now() + order.milliseconds
  let next = 0
  const times: number[] = []
  const request = () => bytes[next++ % bytes.length]!
  const isOver = () => performance.now() >= until || times.length >= (order.answers ?? Number.POSITIVE_INFINITY)
  await Promise.all(Array.from({ length: order.connections }, () => drive(order.port, isOver, request, times)))
  times.sort((one, other) => one - other)
  process.send?.({ kind: 'done', answers: times.length, p99: times[Math.floor(times.length * 0.99)] })
})

// The meter releases the channel, and nothing else keeps this process alive.
process.channel?.ref()

/** Milliseconds of each response go to `times`. */
function drive(port: number, isOver: () => boolean, request: () => Buffer, times: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const send = () => {
      sent = performance.now()
      socket.write(request())
    }
    socket.on('error', reject)
    socket.on('connect', send)
    onAnswer(socket, (status, begin) => {
      if (status !== '200' && status !== '201') return socket.destroy(new Error(`An answer had the status ${status}`))
      if (begin.includes('"errors"')) return socket.destroy(new Error(`An answer had errors: ${begin}`))
      times.push(performance.now() - sent)
      if (!isOver()) return send()
      socket.end()
      return resolve()
    })
  })
}

function onAnswer(socket: Socket, answered: (status: string, begin: string) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = rest.toString('latin1', 0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)
    if (length === null) socket.destroy(new Error(`An answer had no length:\n${head}`))
    if (rest.length < end + 4 + Number(length?.[1])) return
    const begin = rest.toString('latin1', end + 4, end + 40)
    rest = Buffer.alloc(0)
    answered(head.slice(9, 12), begin)
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
