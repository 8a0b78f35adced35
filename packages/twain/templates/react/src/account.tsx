// What people do with their accounts: sign in, sign up, set a new password, verify an address.

import { useQuery } from '@twain/client/react'
import { useState } from 'react'
import { Code, Email, Form, Password, type Values } from './form.tsx'
import { auth } from './session.ts'

type Step = 'signIn' | 'signUp' | 'verify' | 'forgotten' | 'reset'

/** For somebody who is not signed in. */
export function Account() {
  const [step, setStep] = useState<Step>('signIn')
  const signUp = async ({ name, email, password }: Values) => {
    const result = await auth.signUp({ name: name!, email: email!, password: password! })
    if (result === 'VERIFY') setStep('verify')
  }
  const forgotten = async ({ email }: Values) => {
    await auth.sendCode('RESET', email!)
    setStep('reset')
  }
  return (
    <section>
      {step === 'signIn' && (
        <Form name="Sign in" send={({ email, password }) => auth.signIn({ email: email!, password: password! })}>
          <Email />
          <Password />
        </Form>
      )}
      {step === 'signUp' && (
        <Form name="Sign up" send={signUp}>
          <label>
            Name
            <input name="name" autoComplete="name" required maxLength={80} />
          </label>
          <Email />
          <Password isNew />
        </Form>
      )}
      {step === 'verify' && (
        <Form name="Verify" send={({ code }) => auth.verify(code!)}>
          <p role="status">We sent you a mail with a code.</p>
          <Code />
        </Form>
      )}
      {step === 'forgotten' && (
        <Form name="Send a code" send={forgotten}>
          <Email />
        </Form>
      )}
      {step === 'reset' && (
        <Form name="Set the password" send={({ code, password }) => auth.reset({ code: code!, password: password! })}>
          <p role="status">If there is an account with this address, it got a mail with a code.</p>
          <Code />
          <Password isNew />
        </Form>
      )}
      <p>
        {step !== 'signIn' && <Link text="I have an account" go={() => setStep('signIn')} />}
        {step === 'signIn' && <Link text="Create an account" go={() => setStep('signUp')} />}{' '}
        {step === 'signIn' && <Link text="Forgotten password?" go={() => setStep('forgotten')} />}
      </p>
    </section>
  )
}

interface Viewer {
  users: { id: string; email: string; _verifiedAt: string | null }[]
}

/** For somebody who is signed in and has not proven the address yet. */
export function VerifyAddress() {
  const { data, refetch } = useQuery<Viewer>('{ users(where: { isViewer: true }) { id email _verifiedAt } }')
  const [isSent, setIsSent] = useState(false)
  const [viewer] = data?.users ?? []
  if (viewer === undefined || viewer._verifiedAt !== null) return null
  const send = async () => {
    await auth.sendCode('VERIFY', viewer.email)
    setIsSent(true)
  }
  const verify = async ({ code }: Values) => {
    await auth.verify(code!)
    await refetch()
  }
  if (!isSent) return <Form name="Verify my address" send={send} children={null} />
  return (
    <Form name="Verify" send={verify}>
      <Code />
    </Form>
  )
}

function Link({ text, go }: { text: string; go: () => void }) {
  return (
    <button type="button" className="link" onClick={go}>
      {text}
    </button>
  )
}
