// Enhances the page: copy buttons, search, opening the target of a link, and the address of the server in the commands.

const copies = document.querySelectorAll('.copy')

for (const copy of copies) {
  const text = copy.querySelector('pre')
  const button = copy.querySelector('button')
  text.textContent = text.textContent.replace(/http:\/\/localhost:4000(?=\/)/, location.origin)
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
