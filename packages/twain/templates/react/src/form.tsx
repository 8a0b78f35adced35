// A form that sends its values and says what went wrong.

import { type FormEvent, type ReactNode, useState } from 'react'

export type Values = Record<string, string>

export function Form(props: { name: string; send: (values: Values) => Promise<unknown>; children: ReactNode }) {
  const { name, send, children } = props
  const [mistake, setMistake] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Values
    setMistake(null)
    setIsBusy(true)
    await send(values).catch((error: Error) => setMistake(error.message))
    setIsBusy(false)
  }
  return (
    <form onSubmit={submit} aria-label={name}>
      {children}
      <button type="submit" disabled={isBusy}>
        {name}
      </button>
      {mistake !== null && <p role="alert">{mistake}</p>}
    </form>
  )
}

export function Email() {
  return (
    <label>
      E-mail
      <input name="email" type="email" autoComplete="username" required />
    </label>
  )
}

export function Password({ isNew = false }: { isNew?: boolean }) {
  return (
    <label>
      {isNew ? 'New password' : 'Password'}
      <input
        name="password"
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        minLength={8}
        required
      />
    </label>
  )
}

export function Code() {
  return (
    <label>
      Code of the mail
      <input name="code" autoComplete="one-time-code" autoCapitalize="characters" spellCheck={false} required />
    </label>
  )
}
