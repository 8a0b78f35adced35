// The search of the site. It loads the index at the first use, and compares every section with the words of the reader: they stand in
// the index as they are written, so that `@allow(who:` and `limits.bodyBytes` are found too.

;(() => {
  const maxResults = 20
  const root = document.documentElement.dataset.root
  const field = document.querySelector('#search')
  const list = document.querySelector('#results')
  field.closest('search').hidden = false

  let loading = null
  function loadIndex() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement('script')
      script.src = `${root}assets/search-index.js`
      script.onload = () => resolve(prepare(window.docsIndex))
      script.onerror = reject
      document.head.append(script)
    })
    return loading
  }

  function prepare({ pages, sections }) {
    return sections.map(([page, heading, anchor, text]) => {
      const [title, target] = pages[page]
      // Records of the past follow the pages that say how it is today.
      const weight = /^(changelog|internals\/decisions\/|source\/)/.test(target) ? 0.3 : 1
      const keys = [title, heading, text].map((part) => part.toLowerCase())
      return { title, heading, text, href: `${root}${target}#${anchor}`, weight, keys }
    })
  }

  /** Each word must be in the section or in the title of its page. */
  function scoreOf({ keys: [title, heading, text], weight }, words, phrase) {
    let score = 0
    for (const word of words) {
      const times = Math.min(5, text.split(word).length - 1)
      const found = (title.includes(word) ? 6 : 0) + (heading.includes(word) ? 10 : 0) + times * 2
      if (found === 0) return 0
      score += found
    }
    if (heading.startsWith(phrase)) score += 30
    else if (`${heading} ${text}`.includes(phrase)) score += 8
    return score * weight
  }

  function find(sections, query) {
    const phrase = query.toLowerCase().trim()
    const words = phrase.split(/\s+/)
    return sections
      .map((section) => ({ section, score: scoreOf(section, words, phrase) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, maxResults)
      .map(({ section }) => ({ ...section, words }))
  }

  function show(results) {
    list.replaceChildren(...results.map(resultItem))
    if (results.length === 0) list.append(element('li', 'Nothing found. Every word must be in a section.'))
    list.hidden = false
  }

  function resultItem({ title, heading, text, href, words }) {
    const link = element('a', '')
    link.href = href
    const name = element('strong', title)
    link.append(name, ...(heading === title ? [] : [` › ${heading}`]), excerpt(text, words))
    const item = element('li', '')
    item.append(link)
    return item
  }

  /** The text around the first word that it has, with the words marked. */
  function excerpt(text, words) {
    const lower = text.toLowerCase()
    const places = words.map((word) => lower.indexOf(word)).filter((place) => place !== -1)
    const start = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - 40)
    const part = text.slice(start, start + 140)
    const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'i')
    const pieces = part.split(pattern).map((piece, at) => (at % 2 === 1 ? element('mark', piece) : piece))
    const line = element('small', '')
    line.append(start === 0 ? '' : '…', ...pieces)
    return line
  }

  function element(name, text) {
    const made = document.createElement(name)
    made.textContent = text
    return made
  }

  async function search() {
    const query = field.value
    if (query.trim() === '') {
      list.hidden = true
      return
    }
    const sections = await loadIndex()
    if (field.value === query) show(find(sections, query))
  }

  function moveFocus(step) {
    const stops = [field, ...list.querySelectorAll('a')]
    stops[stops.indexOf(document.activeElement) + step]?.focus()
  }

  field.addEventListener('focus', loadIndex)
  field.addEventListener('input', search)
  field.closest('search').addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') moveFocus(1)
    else if (event.key === 'ArrowUp') moveFocus(-1)
    else if (event.key === 'Escape') list.hidden = true
    else if (event.key === 'Enter' && document.activeElement === field) list.querySelector('a')?.click()
    else return
    event.preventDefault()
  })
  list.addEventListener('click', () => {
    list.hidden = true // a result of this page loads nothing
  })
  document.addEventListener('click', ({ target }) => {
    if (!target.closest('search')) list.hidden = true
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.matches('input, textarea')) return
    event.preventDefault()
    field.focus()
  })
})()
