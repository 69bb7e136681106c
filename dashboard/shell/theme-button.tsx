import { Icon } from '../parts/icon.tsx'
import { switchTheme } from './theme.ts'

export function ThemeButton() {
  return (
    <button
      class="ib"
      type="button"
      aria-label="Switch between light and dark"
      onClick={switchTheme}
    >
      <Icon name="moon" />
    </button>
  )
}
