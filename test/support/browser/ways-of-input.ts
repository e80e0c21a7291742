import type { Locator, Page } from 'playwright-core'
import { isLongForm } from '../program/long-form.js'
import { type OpenOptions, phone } from './open-browser.js'

/** A screen and the way in which a person uses it. */
export interface Way {
  readonly name: string
  readonly options: OpenOptions
  /** Follows a link, presses a button or chooses a radio button. */
  activate(page: Page, target: Locator): Promise<void>
}

const allWays: readonly Way[] = [
  { name: 'on a desk', options: {}, activate: (_, target) => target.click() },
  { name: 'on a phone', options: phone, activate: (_, target) => target.tap() },
  { name: 'by keyboard alone', options: {}, activate: activateByKeyboard },
]

/**
 * The ways in which the stories with an asterisk are told. In the usual form, all other stories use the mouse on a desk, and
 * these ones the two other ways: by keyboard alone, they have the same screen and the same answers.
 */
export const ways: readonly Way[] = isLongForm ? allWays : allWays.slice(1)

/** Limit of the keys until the focus is on an element. */
const maxKeys = 100

async function activateByKeyboard(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const isRadio = (await target.getAttribute('type')) === 'radio'
  // Tab stops once at a group of radio buttons. The arrows go through the group, and choose.
  const stop = isRadio ? page.locator(`[name="${await target.getAttribute('name')}"]:checked`) : target
  await pressUntilFocused(page, 'Tab', stop)
  if (isRadio) await pressUntilFocused(page, 'ArrowDown', target)
  else await page.keyboard.press('Enter')
}

/** @throws Error if the key does not lead to the element */
export async function pressUntilFocused(page: Page, key: string, target: Locator): Promise<void> {
  const focused = target.and(page.locator(':focus'))
  for (let pressed = 0; (await focused.count()) === 0; pressed++) {
    if (pressed > maxKeys) throw new Error(`The key ${key} does not lead to ${target}.`)
    // In an editor, Tab indents, unless Escape was pressed before.
    if (key === 'Tab' && (await page.locator('.cm-content:focus').count()) > 0)
      await page.keyboard.press('Escape')
    await page.keyboard.press(key)
  }
}

/** Replaces the whole text of the editor. */
export async function replaceText(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}
