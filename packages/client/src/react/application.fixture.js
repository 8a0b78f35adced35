// An application that react.test.ts renders on a server and hydrates in a browser.

import { ClientProvider, useQuery, useSuspenseQuery } from '@twain/client/react'
import { createElement as h, Suspense, useEffect } from 'react'

export const books = '{ books { id title } }'
export const one = 'query ($id: ID!) { book(id: $id) { id title } }'

export function application(client, id) {
  return h(ClientProvider, { client }, h(List), h(Suspense, { fallback: 'waiting' }, h(Titled, { id })))
}

export function List() {
  const { data, loading, error } = useQuery(books)
  if (error) return h('p', { id: 'list' }, error.message)
  return h('p', { id: 'list' }, loading ? 'loading' : data.books.map(({ title }) => title).join())
}

function Titled({ id }) {
  const { data } = useSuspenseQuery(one, { id })
  useEffect(() => {
    document.body.dataset.hydrated = 'true'
  }, [])
  return h('p', { id: 'titled' }, data.book.title)
}
