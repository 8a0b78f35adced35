// The page behind the link of a mail: a form with one button. It has no script and loads nothing.

import { hash } from 'node:crypto'
import { encodeHtml } from '#base'

const style =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:26em;margin:10vh auto;padding:0 16px}' +
  'label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}input,button{padding:8px;margin:8px 0 16px}' +
  '[role=alert]{color:#c00}'

/** Nothing may be put around or into the page. Its address has a token, which no other server may learn. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; form-action 'self'; ` +
    "base-uri 'none'; frame-ancestors 'none'",
} as const

/** `mistake` is what was wrong with the password; null before the first attempt. The form is sent to the address of the page. */
export function resetPage(mistake: string | null): string {
  const alert = mistake === null ? '' : `<p role="alert">${encodeHtml(mistake)}</p>`
  return page(
    'Set a new password',
    `${alert}<form method="post"><label for="password">New password, at least 8 characters</label>` +
      '<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required autofocus>' +
      '<button>Set the password</button></form>',
  )
}

export const failedPage: string = page(
  'This link does not work any more',
  '<p>It was used, or it is older than ten minutes. Ask for another mail in the application.</p>',
)

export function messagePage(title: string, text: string): string {
  return page(title, `<p>${encodeHtml(text)}</p>`)
}

function page(title: string, content: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${encodeHtml(title)}</title><style>${style}</style></head><body><h1>${encodeHtml(title)}</h1>${content}</body></html>`
  )
}
