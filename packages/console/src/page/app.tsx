// The whole page: signs in, loads the model, and shows what the address says.

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { address, linkTo, replaceAddress } from '../address/address.ts'
import { acting, endBoth, endedName } from '../api/acting.ts'
import { type Failure, failureOf } from '../api/client.ts'
import { fieldNamed, loadModel, model, type ServiceModel, type TypeModel, typeAt, typeNamed } from '../api/model.ts'
import { session, signInWithKey, signOut } from '../api/session.ts'
import { ChangeBar } from '../edit/change-bar.tsx'
import { draftOwner } from '../edit/draft-owner.ts'
import { forgetDrafts, hasDrafts, setOwner } from '../edit/drafts.ts'
import { Finder } from '../find/finder.tsx'
import { operationPage } from '../operations/operation-pages.tsx'
import { RowsPage } from '../rows/rows-page.tsx'
import { texts } from '../texts.ts'
import { TwinButton } from '../twin/twin-button.tsx'
import { ActingBand, WhomMenu } from '../whom/whom-menu.tsx'
import { FailureNote } from './failure-note.tsx'
import { lazy } from './lazy.tsx'
import { Navigation } from './navigation.tsx'
import { SignIn } from './sign-in.tsx'

const RowPanel = lazy(async () => (await import('../edit/row-panel.tsx')).RowPanel)

const CustomOperationPage = lazy(async () => (await import('../call/operation-page.tsx')).OperationPage)

export function App() {
  const failure = useSignal<Failure | null>(null)
  const linkFailure = useSignal<string | null>(null)
  const isAnonymous = useSignal(false)
  const isReady = useSignal(false)
  /** Whether the model is that of a session. The one of nobody has other types and fields, whose rows would be requested for nothing. */
  const isOwnModel = useSignal(false)
  const key = useSignal(keyInAddress())
  const newestLoad = useRef(0)
  const load = async () => {
    const number = ++newestLoad.current
    const token = session.value?.token ?? null
    let next: ServiceModel | null = null
    let problem: Failure | null = null
    try {
      next = await loadModel()
      if (token !== null && number === newestLoad.current) setOwner(draftOwner(next.viewer, token))
    } catch (error) {
      problem = failureOf(error)
    }
    if (number !== newestLoad.current) return // somebody else has signed in or out
    if (next !== null) {
      model.value = next
      isOwnModel.value = token !== null
      document.title = `${next.service.name} · ${texts.console}`
    }
    failure.value = problem
    isReady.value = true
  }
  // A link that is pasted into an open tab changes the hash alone.
  useEffect(() => addEventListener('hashchange', () => (key.value = keyInAddress() ?? key.value)), [])
  useEffect(() => {
    if (key.value === null) return
    linkFailure.value = null
    history.replaceState(null, '', location.pathname + location.search) // the key is of no more use
    signInWithKey(key.value)
      .catch((error: Error) => {
        linkFailure.value = error.message
      })
      .finally(() => {
        key.value = null
      })
  }, [key.value])
  // Not after the next frame, which a busy machine may delay.
  useLayoutEffect(() => {
    if (key.value !== null) return // signs in first
    isAnonymous.value = false
    void load()
  }, [session.value?.token, key.value])

  if (!isReady.value || key.value !== null) return <p role="status">{texts.loading}</p>
  if (model.value === null) return <FailureNote failure={failure.value} />
  if (session.value === null && !isAnonymous.value) {
    const enter = () => {
      setOwner('nobody')
      isAnonymous.value = true
    }
    return <SignIn linkFailure={linkFailure.value} onWithout={enter} />
  }
  if (session.value !== null && !isOwnModel.value)
    return failure.value === null ? <p role="status">{texts.loading}</p> : <FailureNote failure={failure.value} />
  return (
    <div class="console">
      <a class="skip" href="#rows">
        {texts.skip}
      </a>
      <div class="top">
        {(acting !== null || endedName !== null) && <ActingBand />}
        <Header onSignIn={() => (isAnonymous.value = false)} />
      </div>
      <Navigation />
      <main id="rows" tabIndex={-1}>
        <Content />
      </main>
      <ChangeBar />
      <Finder />
    </div>
  )
}

/** Of a link that `twain dev` printed. */
function keyInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('key')
}

function Header({ onSignIn }: { onSignIn(): void }) {
  const { service, viewer } = model.value!
  const name = acting === null ? nameOf(viewer) : acting.user
  const leave = () => {
    if (hasDrafts() && !confirm(texts.signOutUnsaved)) return
    forgetDrafts()
    void endBoth(signOut)
  }
  return (
    <header class="header">
      <h1 class="brand">
        <a href={linkTo([])}>{service.name}</a>
      </h1>
      <span class="spacer" />
      {viewer.actAs !== undefined && <WhomMenu user={name} />}
      <TwinButton />
      <span class="dim">{name}</span>
      <button type="button" class="button" onClick={session.value === null ? onSignIn : leave}>
        {session.value === null ? texts.signIn : texts.signOut}
      </button>
    </header>
  )
}

function nameOf({ account, roles }: ServiceModel['viewer']): string {
  if (session.value === null) return texts.anonymous
  return account === null ? texts.operator(roles.join(', ')) : texts.signedInAs(account)
}

function Content() {
  const { steps, query } = address.value
  const [path, id, list] = steps
  const first = model.value!.types[0]
  useEffect(() => {
    if (path === undefined && first !== undefined) replaceAddress([first.path])
  }, [path, first])
  const OperationPage = operationPage(path)
  if (OperationPage !== undefined) return <OperationPage />
  if (path === '+call' && id !== undefined) return <CustomOperationPage name={id} />
  if (first === undefined) return <p class="nothing">{texts.noTypes}</p>
  const type = path === undefined ? first : typeAt(path)
  const listed = type === undefined || list === undefined ? type : listedType(type, list)
  if (type === undefined || listed === undefined || steps.length > 3)
    return (
      <p class="nothing">
        {texts.notFound} <a href={linkTo([])}>{texts.toStart}</a>
      </p>
    )
  if (list !== undefined)
    return <RowsPage key={steps.join('/')} type={listed} source={steps.join('/')} query={query} openId={null} />
  return (
    <div class={id === undefined ? 'pages' : 'pages with-panel'}>
      <RowsPage key={type.path} type={type} source={type.path} query={query} openId={id ?? null} />
      {id !== undefined && (
        <RowPanel key={`${type.path}/${id}`} type={type} id={id === '+new' ? null : id} query={query} />
      )}
    </div>
  )
}

/** The type of the rows of a list: `comments` of `/posts/p1/comments`. */
function listedType(type: TypeModel, step: string): TypeModel | undefined {
  const name = step.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const field = fieldNamed(type, name)
  return field?.kind === 'list' ? typeNamed(field.type.replaceAll(/[[\]!]/g, '')) : undefined
}
