import LatencyRunner

LatencyCommand<ListRows>.main()
