import { ClientProvider, useMutation, useQuery } from '@twain/client/react'
import type { FormEvent } from 'react'
import { Account, VerifyAddress } from './account.tsx'
import { auth, useSessionClient } from './session.ts'

interface Notes {
  notes: { id: string; text: string; status: 'DRAFT' | 'PUBLISHED'; words: number; author: { name: string } | null }[]
}

const notes = '{ notes(orderBy: [{ createdAt: DESC }]) { id text status words author { name } } }'
const createNote = 'mutation ($text: String!) { createNote(input: { text: $text }) { id } }'
const publishNote = 'mutation ($id: ID!) { updateNote(id: $id, input: { status: PUBLISHED }) { id status } }'

export function App() {
  const { client, isSignedIn } = useSessionClient()
  return (
    <ClientProvider client={client}>
      <main>
        <h1>%title%</h1>
        {isSignedIn ? <NewNote /> : <Account />}
        {isSignedIn && <VerifyAddress />}
        <NoteList />
      </main>
    </ClientProvider>
  )
}

/** The list is live: a note that anybody publishes appears at once. Only its author sees a draft. */
function NoteList() {
  const { data, error, refetch } = useQuery<Notes>(notes, {}, { live: true })
  const [publish] = useMutation(publishNote)
  if (error)
    return (
      <button type="button" onClick={() => refetch()}>
        Try again
      </button>
    )
  if (!data) return <p>Loading…</p>
  return (
    <ul>
      {data.notes.map(({ id, text, status, words, author }) => (
        <li key={id}>
          {text}{' '}
          <small>
            {author?.name}, {words} words
          </small>{' '}
          {status === 'DRAFT' && (
            <button type="button" onClick={() => publish({ id })}>
              Publish
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

function NewNote() {
  const [create, { error, loading }] = useMutation(createNote)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const { error } = await create({ text: String(new FormData(form).get('text')) })
    if (error === undefined) form.reset()
  }
  return (
    <form onSubmit={submit}>
      <input name="text" aria-label="Note" placeholder="Write a note" required maxLength={2000} />
      <button type="submit" disabled={loading}>
        Save
      </button>
      <button type="button" onClick={() => auth.signOut()}>
        Sign out
      </button>
      {error && <p role="alert">{error.message}</p>}
    </form>
  )
}
