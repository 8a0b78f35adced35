// Saves the rows of a table as a CSV file: its columns, its filters, its order, all rows.

import { base } from '../api/base.ts'
import { session } from '../api/session.ts'

/** Throws with the sentence of the server. */
export async function exportRows(path: string, query: string, name: string): Promise<void> {
  const headers: Record<string, string> = { accept: 'text/csv' }
  if (session.value !== null) headers.authorization = `Bearer ${session.value.token}`
  const reply = await fetch(`${base}/${path}?${query}`, { headers })
  if (!reply.ok) throw new Error(((await reply.json()) as { detail: string }).detail)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await reply.blob())
  link.download = `${name}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
