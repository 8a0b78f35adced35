// Saves the rows of a table as a CSV file: its columns, its filters, its order, all rows.

import { bearer, renewBearer } from '../api/acting.ts'
import { base } from '../api/base.ts'
import { recordingFetch } from '../api/requests.ts'

const send = recordingFetch(`${location.origin}${base}`)

/** Throws with the sentence of the server. */
export async function exportRows(path: string, query: string, name: string): Promise<void> {
  const reply = await fetchCsv(`${location.origin}${base}/${path}?${query}`)
  if (!reply.ok) throw new Error(((await reply.json()) as { detail: string }).detail)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await reply.blob())
  link.download = `${name}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** If the token has expired, renews it and repeats the request once. */
async function fetchCsv(url: string): Promise<Response> {
  const token = bearer()
  const reply = await request(url, token)
  if (reply.status !== 401 || token === null) return reply
  if (bearer() === token) await renewBearer()
  return request(url, bearer())
}

function request(url: string, token: string | null): Promise<Response> {
  return send(url, {
    headers: { accept: 'text/csv', ...(token !== null && { authorization: `Bearer ${token}` }) },
  })
}
