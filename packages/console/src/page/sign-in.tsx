// The sign-in page: the login and password of an account, or a token.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { model, titleOf } from '../api/model.ts'
import { isExpired, signInWithPassword, signInWithToken } from '../api/session.ts'
import { printTime } from '../rows/cell.tsx'
import { texts } from '../texts.ts'

interface SignInProps {
  /** Why signing in by a link failed; null: it was not tried. */
  linkFailure: string | null
  onWithout(): void
}

export function SignIn({ linkFailure, onWithout }: SignInProps) {
  const failure = useSignal<string | null>(null)
  const login = model.value?.signIn?.login ?? null
  // While the user types: the first time that a browser prints takes it longer than the rows do.
  useEffect(() => void setTimeout(() => printTime('2000-01-01T00:00:00Z')), [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    try {
      if (form.has('token')) await signInWithToken(String(form.get('token')).trim())
      else await signInWithPassword(login!, String(form.get('name')), String(form.get('password')))
    } catch (error) {
      failure.value = (error as Error).message
    }
  }
  return (
    <main class="sign-in">
      <h1>{model.value?.service.name ?? texts.console}</h1>
      {isExpired.value && <p role="status">{texts.expired}</p>}
      {(failure.value ?? linkFailure) !== null && (
        <p role="alert" class="failure">
          {failure.value ?? `${texts.linkFailed} ${linkFailure}`}
        </p>
      )}
      {login === null ? (
        <p>{texts.noAccounts}</p>
      ) : (
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <label>
            {titleOf(login)}
            <input name="name" autocomplete="username" required />
          </label>
          <label>
            {texts.password}
            <input name="password" type="password" autocomplete="current-password" required />
          </label>
          <button type="submit" class="button primary">
            {texts.signIn}
          </button>
        </form>
      )}
      <details>
        <summary>{texts.useToken}</summary>
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <label>
            {texts.token}
            <input name="token" type="password" autocomplete="off" required />
          </label>
          <p class="note">{texts.tokenHint}</p>
          <button type="submit" class="button">
            {texts.useTokenButton}
          </button>
        </form>
      </details>
      <button type="button" class="button quiet" onClick={onWithout}>
        {texts.withoutAccount}
      </button>
    </main>
  )
}
