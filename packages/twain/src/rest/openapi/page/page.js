// Enhances the page: copy buttons, search, opening the target of a link, the address of the server in the commands, and a form to send
// each request.

const copies = document.querySelectorAll('.copy')

/** The address of the APIs, which may be below a path (`http.basePath`). */
const address = location.origin + location.pathname.replace(/\/docs$/, '')

function showText(pre, text) {
  pre.textContent = text.replaceAll('http://localhost:4000/', `${address}/`)
}

for (const copy of copies) {
  const text = copy.querySelector('pre')
  const button = copy.querySelector('button')
  showText(text, text.textContent)
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
}

const find = document.querySelector('#find')
find.hidden = false
find.addEventListener('input', () => {
  const text = find.value.trim().toLowerCase()
  for (const item of document.querySelectorAll('nav li')) {
    item.hidden = !item.textContent.toLowerCase().includes(text)
  }
})

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target?.tagName !== 'DETAILS') return
  target.open = true
  target.scrollIntoView()
}

addEventListener('hashchange', openTarget)
openTarget()

// The examples name rows that the viewer may read: with a token they are loaded again for its viewer.
const viewer = document.querySelector('#viewer')
viewer.hidden = false
const token = viewer.querySelector('input')
token.addEventListener('change', async () => {
  const isValid = await showExamples()
  token.setCustomValidity(isValid ? '' : 'The token is not valid.')
  token.reportValidity()
})

/** Of the viewer of the token; false: the token is not valid. */
async function showExamples() {
  const headers = token.value === '' ? {} : { authorization: `Bearer ${token.value}` }
  const reply = await fetch(location.pathname, { headers })
  if (!reply.ok) return false
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
  for (const operation of page.querySelectorAll('.operation')) {
    const shown = document.getElementById(operation.id)?.querySelector('.copy pre')
    const text = operation.querySelector('.copy pre')
    if (shown && text) showText(shown, text.textContent)
  }
  return true
}

// The session of the console in this tab: as whom it is shown, else of its user.
const stored = (key) => JSON.parse(sessionStorage.getItem(key) ?? 'null')
const acting = stored('twain.acting')
const restored = restoreToken()

/** A session that has ended is left out: nobody has entered its token here. */
async function restoreToken() {
  token.value = (acting === null ? stored('twain.session')?.token : acting.session?.token) ?? ''
  const { value } = token
  if (value !== '' && !(await showExamples()) && token.value === value) token.value = ''
}

// A form for each request. It begins with the example, and knows the parameters of the OpenAPI document.

const maxShownCharacters = 200_000

/** An element with attributes and children. Texts stay texts. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value)
    else made.setAttribute(key, value)
  }
  made.append(...children)
  return made
}

let description = null

/** The operations by their id. */
async function loadOperations() {
  await restored
  const headers = token.value === '' ? {} : { authorization: `Bearer ${token.value}` }
  const reply = await fetch(`${address}/openapi.json`, { headers })
  const { paths, components } = await reply.json()
  const resolve = (part) =>
    part.$ref === undefined ? part : components[part.$ref.split('/')[2]][part.$ref.split('/')[3]]
  const operations = new Map()
  for (const [path, { parameters: shared = [], ...methods }] of Object.entries(paths)) {
    for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(methods)) {
      const types = requestBody === undefined ? [] : Object.keys(resolve(requestBody).content)
      const all = [...shared, ...parameters].map(resolve)
      operations.set(operationId, { path, method: method.toUpperCase(), parameters: all, types })
    }
  }
  return operations
}

/** What a printed command sends. */
function readCommand(text) {
  const quoted = (start) => {
    const found = new RegExp(`${start}'((?:[^']|'\\\\'')*)'`).exec(text)?.[1]
    return found?.replaceAll("'\\''", "'")
  }
  const url = new URL(quoted('curl (?:-N )?'))
  const json = quoted('--json ')
  return {
    path: url.pathname.slice(new URL(address).pathname.replace(/\/$/, '').length),
    query: [...url.searchParams],
    body: json === undefined ? quoted('-d ') : JSON.stringify(JSON.parse(json), null, 2),
  }
}

/** The values of `{id}` and the like in the example. */
function pathValues(template, path) {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const pattern = template.replaceAll(/[.+?^$|()[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '([^/]+)')
  const found = new RegExp(`^${pattern}$`).exec(path) ?? []
  return names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')])
}

/** Rows of names and values; the names are proposed. */
function pairList(title, known, pairs, listId) {
  const rows = element('div')
  const add = (name = '', value = '') =>
    rows.append(
      element(
        'div',
        { class: 'pair' },
        element('input', { 'aria-label': `${title}: name`, list: listId, value: name }),
        element('input', { 'aria-label': `${title}: value`, value }),
      ),
    )
  for (const [name, value] of pairs) add(name, value)
  const options = known.map((name) => element('option', { value: name }))
  return element(
    'fieldset',
    { 'data-pairs': title },
    element('legend', {}, title),
    element('datalist', { id: listId }, ...options),
    rows,
    element('button', { type: 'button', click: () => add() }, `Add to ${title.toLowerCase()}`),
  )
}

function pairsOf(form, title) {
  const rows = form.querySelectorAll(`[data-pairs="${title}"] .pair`)
  return [...rows].map((row) => [...row.children].map(({ value }) => value)).filter(([name]) => name !== '')
}

function requestForm(id, { path, method, parameters, types }, command) {
  const names = (place) => parameters.filter((one) => one.in === place).map(({ name }) => name)
  const values = pathValues(path, command.path)
  const isJson = types.some((type) => type.includes('json'))
  const form = element(
    'form',
    { class: 'try' },
    ...values.map(([name, value]) =>
      element('label', {}, `${name} `, element('input', { name, value, required: '', 'data-path': name })),
    ),
    pairList('Query', names('query'), command.query, `${id} query`),
    pairList('Headers', [...names('header'), 'accept'], [], `${id} headers`),
  )
  if (types.length > 0) {
    const choices = types.map((type) => element('option', {}, type))
    form.append(
      element('label', {}, 'Content type ', element('select', { name: 'content-type' }, ...choices)),
      element(
        'label',
        {},
        'Body ',
        element('textarea', { name: 'body', rows: '8', spellcheck: 'false' }, command.body ?? ''),
      ),
    )
    if (!isJson) form.append(element('label', {}, 'or a file ', element('input', { type: 'file', name: 'file' })))
  }
  const answer = element('div', { role: 'status' })
  form.append(element('button', {}, `Send ${method}`), answer)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send(form, path, method, answer)
  })
  return form
}

async function send(form, template, method, answer) {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(form.querySelector(`[data-path="${name}"]`).value),
  )
  const query = String(new URLSearchParams(pairsOf(form, 'Query')))
  const controller = new AbortController()
  const stop = element('button', { type: 'button', click: () => controller.abort() }, 'Stop')
  answer.replaceChildren('Sending… ', stop)
  try {
    const headers = new Headers(pairsOf(form, 'Headers'))
    if (token.value !== '' && !headers.has('authorization')) headers.set('authorization', `Bearer ${token.value}`)
    // As in the console: there is no session that the server could keep from writing.
    if (acting?.session === null && method !== 'GET' && !headers.has('authorization')) {
      answer.replaceChildren('The console is shown as nobody, which only reads. Enter a token, or be yourself again.')
      return
    }
    const body = bodyOf(form.elements, headers)
    const target = `${address}${path}${query === '' ? '' : `?${query}`}`
    const reply = await fetch(target, { method, headers, body, signal: controller.signal, cache: 'no-store' })
    const shown = element('pre', {})
    const head = [...reply.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    answer.replaceChildren(
      element(
        'p',
        {},
        element('b', { class: `s${Math.floor(reply.status / 100)}` }, `${reply.status} ${reply.statusText}`),
        ' ',
        stop,
      ),
      element('pre', {}, head),
      shown,
    )
    await showBody(reply, shown)
  } catch (error) {
    if (!controller.signal.aborted) answer.append(element('p', { class: 's5' }, String(error)))
  }
  stop.remove()
}

/** The body for `fetch`, with its type. A form of parts has the file with its own name and type, and gets its boundary from the browser. */
function bodyOf({ file, body, 'content-type': type }, headers) {
  if (type === undefined) return undefined
  const content = file?.files[0] ?? body.value
  if (type.value !== 'multipart/form-data') {
    headers.set('content-type', type.value)
    return content
  }
  const parts = new FormData()
  parts.append('file', typeof content === 'string' ? new File([content], 'file.txt', { type: 'text/plain' }) : content)
  return parts
}

/** As it comes, because a stream does not end. */
async function showBody(reply, shown) {
  let text = ''
  if (reply.body !== null) {
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done && text.length < maxShownCharacters; part = await reader.read()) {
      text += part.value
      shown.textContent = text
    }
    if (text.length >= maxShownCharacters) {
      await reader.cancel()
      shown.textContent = `${text.slice(0, maxShownCharacters)}…`
      return
    }
  }
  if (/[/+]json(?:;|$)/.test(reply.headers.get('content-type') ?? '') && text !== '') {
    shown.textContent = JSON.stringify(JSON.parse(text), null, 2)
  }
}

for (const operation of document.querySelectorAll('.operation')) {
  const copy = operation.querySelector('.copy')
  if (copy === null) continue
  const button = element('button', { type: 'button', 'aria-expanded': 'false' }, 'Try it')
  button.addEventListener('click', async () => {
    const open = operation.querySelector('.try')
    button.setAttribute('aria-expanded', String(open === null))
    if (open !== null) {
      open.remove()
      return
    }
    description ??= loadOperations()
    const found = (await description).get(operation.id)
    if (found !== undefined)
      button.after(requestForm(operation.id, found, readCommand(copy.querySelector('pre').textContent)))
  })
  copy.after(button)
}
