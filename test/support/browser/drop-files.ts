import type { Page } from 'playwright-core'

/** Drops files or folders of the disk on a region of the page, as a person does with the mouse. */
export async function dropFiles(page: Page, region: string, paths: readonly string[]): Promise<void> {
  const zone = page.getByRole('region', { name: region })
  await zone.scrollIntoViewIfNeeded()
  const box = await zone.boundingBox()
  if (!box) throw new Error('There is no place to drop files on.')
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...paths], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: box.x + 10, y: box.y + 10, data })
  await session.detach()
}
