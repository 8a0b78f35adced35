// Enhances the page: copy buttons, search, opening the target of a link, and the address of the server in the commands.

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
viewer.querySelector('input').addEventListener('change', async ({ target }) => {
  const headers = target.value === '' ? {} : { authorization: `Bearer ${target.value}` }
  const reply = await fetch(location.pathname, { headers })
  target.setCustomValidity(reply.ok ? '' : 'The token is not valid.')
  target.reportValidity()
  if (!reply.ok) return
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
  for (const operation of page.querySelectorAll('.operation')) {
    const shown = document.getElementById(operation.id)?.querySelector('.copy pre')
    const text = operation.querySelector('.copy pre')
    if (shown && text) showText(shown, text.textContent)
  }
})
