// The page behind the link of a mail: a form with one button. It has no script and loads nothing.

import { hash } from 'node:crypto'
import type { LinkPurpose } from '#auth'
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

/** What the page says before and after its button was pressed. */
interface PageTexts {
  title: string
  /** Null: the title says it. */
  text: string | null
  label: string
  button: string
  isPasswordRequired: boolean
  done: { title: string; text: string; withoutPassword: string }
}

const signInByMail = 'The account has no password now. Sign in by a code, or ask for a new password in the application.'

const texts: Readonly<Record<Exclude<LinkPurpose, 'SIGN_IN'>, PageTexts>> = {
  RESET: {
    title: 'Set a new password',
    text: null,
    label: 'New password, at least 8 characters',
    button: 'Set the password',
    isPasswordRequired: true,
    done: {
      title: 'Your password is set',
      text: 'All sessions have ended. Sign in with the new password.',
      withoutPassword: '',
    },
  },
  VERIFY: {
    title: 'Confirm your address',
    text: 'Somebody, perhaps you, has an account with this address. Set its password, so that nobody else knows it. Without one you sign in by mail.',
    label: 'Password, at least 8 characters',
    button: 'This is my address',
    isPasswordRequired: false,
    done: {
      title: 'Your address is confirmed',
      text: 'Your password is set, and all other sessions have ended. Sign in with it.',
      withoutPassword: signInByMail,
    },
  },
  SIGN_UP: {
    title: 'Confirm your address',
    text: 'Somebody, perhaps you, wants to sign up with this address. Set the password of the account, so that nobody else knows it. Without one you sign in by mail. If it was not you, close this page: there is no account.',
    label: 'Password, at least 8 characters',
    button: 'This is my address: sign up',
    isPasswordRequired: false,
    done: {
      title: 'You have an account',
      text: 'Your address is confirmed, and your password is set. Sign in with it.',
      withoutPassword: signInByMail,
    },
  },
  INVITATION: {
    title: 'You are invited',
    text: 'Set a password, and you have an account with this address.',
    label: 'Password, at least 8 characters',
    button: 'Accept the invitation',
    isPasswordRequired: true,
    done: {
      title: 'You have an account',
      text: 'Your address is confirmed, and your password is set. Sign in with it.',
      withoutPassword: '',
    },
  },
  CHANGE: {
    title: 'Confirm your new address',
    text: 'Somebody, perhaps you, has asked to use this address for an account. Set its password, so that nobody else knows it. Without one you sign in by mail.',
    label: 'Password, at least 8 characters',
    button: 'This is my address',
    isPasswordRequired: false,
    done: {
      title: 'Your address is confirmed',
      text: 'Your password is set, and all sessions have ended. Sign in with your new address.',
      withoutPassword: signInByMail,
    },
  },
  UNDO: {
    title: 'Keep your address',
    text: 'This undoes the change of the address of your account, ends all sessions, and removes the password. Set a new one, or sign in by mail.',
    label: 'New password, at least 8 characters',
    button: 'Undo the change',
    isPasswordRequired: false,
    done: {
      title: 'Your address is as it was',
      text: 'Your password is set, and all sessions have ended.',
      withoutPassword: signInByMail,
    },
  },
}

/** `mistake` is what was wrong with the password; null before the first attempt. The form is sent to the address of the page. */
export function linkPage(purpose: LinkPurpose, mistake: string | null): string {
  const { title, text, label, button, isPasswordRequired } = textsOf(purpose)
  const alert = mistake === null ? '' : `<p role="alert">${encodeHtml(mistake)}</p>`
  const required = isPasswordRequired ? ' required' : ''
  return page(
    title,
    `${text === null ? '' : `<p>${encodeHtml(text)}</p>`}${alert}<form method="post"><label for="password">${label}</label>` +
      `<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256"${required} autofocus>` +
      `<button>${button}</button></form>`,
  )
}

export function donePage(purpose: LinkPurpose, hasPassword: boolean): string {
  const { title, text, withoutPassword } = textsOf(purpose).done
  return page(title, `<p>${encodeHtml(hasPassword ? text : withoutPassword)}</p>`)
}

function textsOf(purpose: LinkPurpose): PageTexts {
  if (purpose === 'SIGN_IN') throw new Error('a mail that signs in has no link')
  return texts[purpose]
}

export const failedPage: string = page(
  'This link does not work any more',
  '<p>It was used, or it has expired. Ask for another mail in the application, or whoever has invited you.</p>',
)

/** A callback that belongs to no sign-in of this browser: nobody knows which application to lead back to. */
export const signInFailedPage: string = page(
  'This sign-in can not go on',
  '<p>It did not begin in this browser, or it took longer than ten minutes. Begin again in the application.</p>',
)

function page(title: string, content: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${encodeHtml(title)}</title><style>${style}</style></head><body><h1>${encodeHtml(title)}</h1>${content}</body></html>`
  )
}
