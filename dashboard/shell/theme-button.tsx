import { IconButton } from '../parts/button.tsx'
import { switchTheme } from './theme.ts'

export function ThemeButton() {
  return <IconButton icon="moon" label="Switch between light and dark" onClick={switchTheme} />
}
