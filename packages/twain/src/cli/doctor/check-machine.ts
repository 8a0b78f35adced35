// The machine: Node, disk, port, and what the service is reached by.

import { access, constants, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isLoopback } from '#http'
import type { Settings } from '../settings/settings.ts'
import { expectFree } from './expect-free.ts'
import { type Finding, fine, problem, warning } from './findings.ts'

const gigabyte = 1e9
const scarceBytes = gigabyte
const tooFewBytes = gigabyte / 10

export function checkNode(): Finding {
  return fine(`Node ${process.versions.node}, SQLite ${process.versions.sqlite}.`)
}

export async function checkDisk(folder: string): Promise<Finding> {
  const place = await nearestFolder(resolve(folder))
  try {
    await access(place, constants.W_OK)
  } catch {
    return problem(`${folder} can't be written.`, 'Give its owner to the user who runs Twain, or set --data.')
  }
  const { bavail, bsize } = await statfs(place)
  const free = bavail * bsize
  const text = `${folder} has ${(free / gigabyte).toFixed(1)} GB free.`
  if (free < tooFewBytes) return problem(text, 'Free some space: without it no write succeeds.')
  return free < scarceBytes ? warning(text, 'Free some space soon.') : fine(text)
}

/** The folder, or the nearest one above it that exists. */
async function nearestFolder(folder: string): Promise<string> {
  try {
    await access(folder)
    return folder
  } catch {
    return dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
  }
}

export async function checkPort(host: string, port: number): Promise<Finding> {
  try {
    await expectFree(host, port)
    return fine(`Port ${port} of ${host} is free.`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      return warning(`Port ${port} of ${host} is taken.`, 'Is the service running already? Otherwise set --port.')
    const advice = code === 'EACCES' ? 'Ports below 1024 need a right of their own; set --port.' : 'Set --host.'
    return problem(`Port ${port} of ${host} can't be opened (${code}).`, advice)
  }
}

export function checkPublicAddress({ host, http }: Pick<Settings, 'host' | 'http'>): Finding {
  if (http.origin?.split(',').every((origin) => origin.trim().startsWith('https:')))
    return fine(`The public address is ${http.origin}.`)
  if (isLoopback(host)) return fine(`Only this machine reaches the service (--host ${host}).`)
  const advice = 'Put a proxy with TLS in front, and set --http-origin https://… and --http-trust-proxy.'
  return warning(
    http.origin === null ? 'The service does not know its public address.' : 'The public address has no TLS.',
    advice,
  )
}
