import { defineFeature } from '../../feature.js'
import { pagesOf } from '../pages/feature.js'

/**
 * Draws documents by their schemas on the pages of records, and schemas as trees. Without it the pages show the plain
 * text. @see docs/use/web-pages.md
 */
export const documentView = defineFeature({
  name: 'document-view',
  needs: ['pages', 'web-api'],
  async open(parts) {
    const { openDocumentView } = await import('./open-document-view.js')
    const view = openDocumentView(parts)
    // Pages ask for the drawing of a record; a feature that is taken away draws nothing.
    pagesOf(parts).shown.draw = view.draw
    return {
      close: view.close,
    }
  },
})
