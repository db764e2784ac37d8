import LatencyRunner

LatencyCommand<AllRows>.main()
