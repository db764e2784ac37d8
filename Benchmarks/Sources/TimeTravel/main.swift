import LatencyRunner

LatencyCommand<HistoryRows>.main()
